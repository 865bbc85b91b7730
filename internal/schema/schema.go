// Package schema holds every record to its JSON Schema (draft-07, folder schemas/ of this module), and lowers result/1 to
// the schema that a model CLI is handed for one Intent of one Role.
//
// It promises that [Decode] lets nothing through that the Go type or the schema forbids, that no error quotes the document
// it is about (documents may be untrusted), and that nothing is ever fetched: every reference between schemas is resolved
// from the embedded files. What a record means, and whether its parts agree with each other or with GitHub, is left to the
// Kernel and to the refusals.
package schema

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/xeipuuv/gojsonschema"
)

// folder is where the schemas are in [airlock.Files]; base is the address that their $id begins with. Nothing is read from it.
const (
	folder = "schemas"
	base   = "https://github.com/seed-2ea642bd/airlock/schemas/"
)

// Kinds lists what can be validated, in alphabetical order: every record as "<name>/1", and "effect/1", which is a part of
// result/1 and has no schema field of its own.
func Kinds() []string {
	entries, err := fs.ReadDir(airlock.Files, folder)
	if err != nil {
		panic(fmt.Sprintf("schema: the embedded folder %s cannot be listed: %v", folder, err))
	}
	var kinds []string
	for _, entry := range entries {
		if name := strings.TrimSuffix(entry.Name(), ".json"); name != common {
			kinds = append(kinds, name+"/1")
		}
	}
	slices.Sort(kinds)
	return kinds
}

// common is the schema that holds what several records share; it is no kind.
const common = "common"

// Validate holds a document to the schema of a kind, such as "result/1". The error is a [*Error], and nil means valid.
// It does not replace strict decoding: gojsonschema lets duplicate keys and data after the end through.
func Validate(kind string, document []byte) error {
	name, ok := strings.CutSuffix(kind, "/1")
	if !ok || !slices.Contains(Kinds(), kind) {
		return &Error{Kind: kind, Reason: "no schema of this kind and version exists"}
	}
	schemas, err := embedded()
	if err != nil {
		return &Error{Kind: kind, Reason: "the embedded schemas cannot be read"}
	}
	return validate(kind, schemas[name], document)
}

// compiler gives a compiled schema, or says why it cannot be compiled.
type compiler func() (*gojsonschema.Schema, error)

// embedded compiles each of the embedded schemas at its first use, once a process: they never change.
var embedded = sync.OnceValues(func() (map[string]compiler, error) {
	files, err := sources()
	schemas := map[string]compiler{}
	for name := range files {
		schemas[name] = sync.OnceValues(func() (*gojsonschema.Schema, error) { return compile(files, name) })
	}
	return schemas, err
})

// Decode reads one record strictly (contract.Decode) into a pointer to its Go type and holds it to the schema of its kind.
// The error is a [*Error] that names the field.
func Decode(kind string, document []byte, record any) error {
	if err := contract.Decode(document, record); err != nil {
		return strict(kind, err)
	}
	return Validate(kind, document)
}

// sources returns the embedded schemas by name.
func sources() (map[string][]byte, error) {
	entries, err := fs.ReadDir(airlock.Files, folder)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(entries))
	for _, entry := range entries {
		data, err := airlock.Files.ReadFile(folder + "/" + entry.Name())
		if err != nil {
			return nil, err
		}
		files[strings.TrimSuffix(entry.Name(), ".json")] = data
	}
	return files, nil
}

// validate holds a document to one schema.
func validate(kind string, schema compiler, document []byte) error {
	compiled, err := schema()
	if err != nil {
		return &Error{Kind: kind, Reason: "the schema cannot be compiled: " + err.Error()}
	}
	result, err := compiled.Validate(gojsonschema.NewBytesLoader(document))
	if err != nil {
		return &Error{Kind: kind, Reason: "not JSON"}
	}
	return firstOf(kind, result.Errors())
}

// compile resolves references among the set only: a reference to a file that is not in it fails.
func compile(files map[string][]byte, name string) (*gojsonschema.Schema, error) {
	loader := gojsonschema.NewSchemaLoader()
	loader.Draft = gojsonschema.Draft7
	loader.AutoDetect = false
	for _, needed := range closure(files, name) {
		if err := loader.AddSchema(base+needed+".json", gojsonschema.NewBytesLoader(files[needed])); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", needed, err)
		}
	}
	return loader.Compile(gojsonschema.NewReferenceLoader(base + name + ".json"))
}
