// Package bundle is the set of files that decide hands on: the Decision, and beside it the inputs that it names by size and
// digest. Opening a bundle holds every file to them; nothing of a bundle is used before.
package bundle

import (
	"fmt"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/schema"
)

// Names of the files.
const (
	DecisionFile = "decision.json"
	FactsFile    = "facts.json"
	DiffFile     = "diff.patch"
	RoleFile     = "role.json"
	PromptFile   = "prompt.md"
	PolicyFile   = "policy.json"
	AppsFile     = "apps.json"
	HarnessFile  = "harness.json"
)

// Bundle is an opened bundle: every file is the one that the Decision names, and every record is valid.
type Bundle struct {
	Decision       contract.Decision
	DecisionDigest string
	Facts          contract.Facts
	Diff           []byte
	Role           contract.Role
	Prompt         []byte
	Policy         contract.Policy
	Apps           contract.Apps
	Harness        contract.Harness
}

// Error says which file of a bundle cannot be used, and why; Code is bundle_mismatch or record_invalid.
type Error struct {
	Code  contract.Code
	File  string
	Cause error
}

func (e *Error) Error() string { return e.File + ": " + e.Cause.Error() }

func (e *Error) Unwrap() error { return e.Cause }

// part is one file beside the Decision.
type part struct {
	name, kind string
	size       func(contract.Inputs) contract.File
	record     func(*Bundle) any
}

// parts lists the files beside the Decision; those without a kind are bytes.
func parts() []part {
	return []part{
		{FactsFile, "facts/1", func(i contract.Inputs) contract.File { return i.Facts }, func(b *Bundle) any { return &b.Facts }},
		{DiffFile, "", func(i contract.Inputs) contract.File { return i.Diff }, func(b *Bundle) any { return &b.Diff }},
		{RoleFile, "role/1", func(i contract.Inputs) contract.File { return i.Manifest }, func(b *Bundle) any { return &b.Role }},
		{PromptFile, "", func(i contract.Inputs) contract.File { return i.Prompt }, func(b *Bundle) any { return &b.Prompt }},
		{PolicyFile, "policy/1", func(i contract.Inputs) contract.File { return i.Policy }, func(b *Bundle) any { return &b.Policy }},
		{AppsFile, "apps/1", func(i contract.Inputs) contract.File { return i.Apps }, func(b *Bundle) any { return &b.Apps }},
		{HarnessFile, "harness/1", func(i contract.Inputs) contract.File { return i.Harness }, func(b *Bundle) any { return &b.Harness }},
	}
}

// Names lists the files of a bundle, the Decision first.
func Names() []string {
	names := []string{DecisionFile}
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

// Open holds the files to the Decision's digest and to what it says of each, decodes them, and holds the Decision to what
// they say. The error is an [*Error].
func Open(files map[string][]byte, decisionDigest string) (Bundle, error) {
	b := Bundle{DecisionDigest: decisionDigest}
	data, ok := files[DecisionFile]
	if !ok || contract.Digest(data) != decisionDigest {
		return Bundle{}, &Error{contract.CodeBundleMismatch, DecisionFile, fmt.Errorf("it is not the Decision that was handed on")}
	}
	if err := schema.Decode("decision/1", data, &b.Decision); err != nil {
		return Bundle{}, &Error{contract.CodeRecordInvalid, DecisionFile, err}
	}
	for _, p := range parts() {
		data, ok := files[p.name]
		if !ok || contract.FileOf(data) != p.size(b.Decision.Inputs) {
			return Bundle{}, &Error{contract.CodeBundleMismatch, p.name, fmt.Errorf("it is not the file that the Decision names")}
		}
		if p.kind == "" {
			*p.record(&b).(*[]byte) = data
			continue
		}
		if err := schema.Decode(p.kind, data, p.record(&b)); err != nil {
			return Bundle{}, &Error{contract.CodeRecordInvalid, p.name, err}
		}
	}
	if field := b.disagrees(); field != "" {
		return Bundle{}, &Error{contract.CodeBundleMismatch, DecisionFile, fmt.Errorf("field %s is not what the other files say", field)}
	}
	return b, nil
}

// disagrees names the first field of the Decision that the other files contradict, or is "": a Decision about another item,
// Role or change than the bundle holds would put a review of the one on the other.
func (b Bundle) disagrees() string {
	d, f := b.Decision, b.Facts
	files, err := contract.DigestOf(f.Content.Files)
	for _, held := range []struct {
		field string
		equal bool
	}{
		{"role", d.Role == b.Role.Name},
		{"item", d.Item == contract.Item{Kind: f.Item.Kind, Number: f.Item.Number}},
		{"repository.id", d.Repository.ID == f.Repository.ID},
		{"commit", d.Commit == f.Head.Commit},
		{"base_ref", d.BaseRef == f.Base.Ref},
		{"content_id", d.ContentID == f.Content.ID},
		{"files_digest", err == nil && d.FilesDigest == f.Content.FilesDigest && d.FilesDigest == files},
		{"run", d.Run == contract.RunID(d.Repository.ID, d.Item, d.Role, d.Intent, d.ContentID, d.Workflow)},
	} {
		if !held.equal {
			return held.field
		}
	}
	return ""
}
