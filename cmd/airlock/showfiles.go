package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

// Bounds of what is read.
const (
	maxShownFiles = 10_000
	maxArchive    = 64 << 20
)

// problem is one file that cannot be used, as a person is told it.
type problem struct {
	code  contract.Code
	file  string
	cause error
}

func (p problem) String() string {
	reason, _ := contract.ReasonOf(p.code)
	return fmt.Sprintf("%s: %s: %s; next: %s", p.code, visible(p.file), visible(p.cause.Error()), reason.Next)
}

// found is what the arguments hold: records of Runs, and other files by their digest, of which a bundle is made again.
type found struct {
	records  []record
	files    map[string][]byte
	problems []problem
}

// record is one decoded record; exactly one of the pointers is set.
type record struct {
	file, run, digest string
	attempt           int
	decision          *contract.Decision
	task              *contract.Task
	result            *contract.Result
	applied           *contract.Applied
	outcome           *contract.Outcome
}

func (r record) kind() string {
	switch {
	case r.decision != nil:
		return "decision/1"
	case r.task != nil:
		return "task/1"
	case r.result != nil:
		return "result/1"
	case r.applied != nil:
		return "applied/1"
	}
	return "outcome/1"
}

// collect reads every file and folder that is named.
func collect(arguments []string) *found {
	f := &found{files: map[string][]byte{}}
	for _, argument := range arguments {
		info, err := os.Stat(argument)
		switch {
		case err != nil:
			f.fault(contract.CodeUsage, argument, withoutPath(err))
		case info.IsDir():
			f.folder(argument)
		default:
			f.named(argument)
		}
	}
	return f
}

func (f *found) fault(code contract.Code, file string, cause error) {
	f.problems = append(f.problems, problem{code, file, cause})
}

// folder reads the regular files of a folder and those below it, in the order of their names. What is no record is left alone.
func (f *found) folder(folder string) {
	seen := 0
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			f.fault(contract.CodeRecordInvalid, name, withoutPath(err))
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		if seen++; seen > maxShownFiles {
			return fmt.Errorf("there are more than %d files", maxShownFiles)
		}
		data, err := readFile(name, maxBundleFile)
		switch {
		case err == nil && isArchive(name, data):
			f.archive(name, data)
		case err == nil:
			f.take(name, data, false)
		case kindByName(name) != "":
			f.fault(contract.CodeRecordInvalid, name, err)
		}
		return nil
	})
	if err != nil {
		f.fault(contract.CodeRecordInvalid, folder, err)
	}
}

// named reads a file that was named itself: it must be a record or an archive.
func (f *found) named(name string) {
	data, err := readFile(name, maxArchive)
	switch {
	case err != nil:
		f.fault(contract.CodeUsage, name, err)
	case isArchive(name, data):
		f.archive(name, data)
	default:
		f.take(name, data, true)
	}
}

func isArchive(name string, data []byte) bool {
	return strings.EqualFold(filepath.Ext(name), ".zip") || bytes.HasPrefix(data, []byte("PK\x03\x04"))
}

// archive reads the files of a downloaded artifact, in memory; a name in it is only ever shown.
func (f *found) archive(name string, data []byte) {
	reader, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		f.fault(contract.CodeUsage, name, errors.New("it is no zip archive that can be read; if it was downloaded, it may not be whole"))
		return
	}
	left := int64(maxArchive)
	for n, entry := range reader.File {
		inside := name + "!" + entry.Name
		if n >= maxShownFiles {
			f.fault(contract.CodeArtifactTooLarge, name, fmt.Errorf("it holds more than %d files", maxShownFiles))
			return
		}
		if !entry.Mode().IsRegular() {
			continue
		}
		content, err := readEntry(entry, min(left, maxBundleFile))
		if err != nil {
			f.fault(contract.CodeArtifactTooLarge, inside, err)
			return
		}
		left -= int64(len(content))
		f.take(inside, content, false)
	}
}

func readEntry(entry *zip.File, limit int64) ([]byte, error) {
	file, err := entry.Open()
	if err != nil {
		return nil, errors.New("it cannot be unpacked")
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case err != nil:
		return nil, errors.New("it cannot be unpacked whole")
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, nil
}

// shownKinds are the records that are shown, in the order of the data's way.
func shownKinds() []string {
	return []string{"decision/1", "task/1", "result/1", "applied/1", "outcome/1"}
}

// kindByName is the kind of a file that is called like a record, such as applied.json or A.applied.json, or "".
func kindByName(file string) string {
	base := strings.TrimSuffix(path.Base(filepath.ToSlash(file)), ".json")
	for _, kind := range shownKinds() {
		if name := strings.TrimSuffix(kind, "/1"); base == name || strings.HasSuffix(base, "."+name) {
			return kind
		}
	}
	return ""
}

// kindOf is what a document says that it is.
func kindOf(data []byte) (string, bool) {
	var head struct {
		Schema string `json:"schema"`
	}
	err := json.Unmarshal(data, &head)
	return head.Schema, err == nil && head.Schema != ""
}

// take decodes a file that is a record, and keeps every other by its digest. must says that it was named, so that it is one.
func (f *found) take(file string, data []byte, must bool) {
	kind, known := kindOf(data)
	switch {
	case known && slices.Contains(shownKinds(), kind):
		f.decode(file, kind, data)
		return
	case kindByName(file) != "":
		f.decode(file, kindByName(file), data)
		return
	case must && known && slices.Contains(schema.Kinds(), kind):
		f.fault(contract.CodeUsage, file, fmt.Errorf("%s is no record of how a Run went", kind))
	case must && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) && !json.Valid(data):
		f.fault(contract.CodeUsage, file, errors.New("it is no whole JSON document: it was cut or changed"))
	case must:
		f.fault(contract.CodeUsage, file, errors.New("it does not say that it is a record: field schema is not one that is known"))
	}
	f.files[contract.Digest(data)] = data
}

// decode holds a record to its schema and to what is there already.
func (f *found) decode(file, kind string, data []byte) {
	r := record{file: file, digest: contract.Digest(data)}
	var into any
	switch kind {
	case "decision/1":
		r.decision = &contract.Decision{}
		into = r.decision
	case "task/1":
		r.task = &contract.Task{}
		into = r.task
	case "result/1":
		r.result = &contract.Result{}
		into = r.result
	case "applied/1":
		r.applied = &contract.Applied{}
		into = r.applied
	default:
		r.outcome = &contract.Outcome{}
		into = r.outcome
	}
	if err := schema.Decode(kind, data, into); err != nil {
		f.fault(contract.CodeRecordInvalid, file, err)
		return
	}
	switch {
	case r.decision != nil:
		r.run = r.decision.Run
		f.files[r.digest] = data // it is a file of its bundle too
	case r.task != nil:
		r.run = r.task.Run
	case r.result != nil:
		r.run = r.result.Run
	case r.applied != nil:
		r.run, r.attempt = r.applied.Run, r.applied.Attempt
	default:
		r.run, r.attempt = r.outcome.Run, r.outcome.Attempt
	}
	for _, other := range f.records {
		if other.kind() != kind || other.run != r.run || other.attempt != r.attempt {
			continue
		}
		if other.digest != r.digest {
			f.fault(contract.CodeRecordInvalid, file, fmt.Errorf("%s of the same Run and attempt says something else, and is shown", other.file))
		}
		return
	}
	f.records = append(f.records, r)
}
