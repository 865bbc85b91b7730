// Package release says which release of airlock this is: a part of every record, so that a Result is only ever applied by
// the release that admitted it.
package release

import (
	"bytes"
	"fmt"
	"io/fs"
	"sync"

	airlock "github.com/seed-2ea642bd/airlock"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// version is the form of config/release.json. Commit is 40 zeros in a build that is no release.
type version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

// contractForm is what the contract digest is made of.
type contractForm struct {
	Reasons  []contractReason  `json:"reasons"`
	Renderer string            `json:"renderer"`
	Schemas  map[string]string `json:"schemas"`
}

type contractReason struct {
	Code  contract.Code  `json:"code"`
	Fault string         `json:"fault"`
	Stage contract.Stage `json:"stage"`
}

// Current returns the release of this build, from embedded files alone. Its Contract is the digest over the canonical form of
// every schema, the reason codes with their stages and faults, and the renderer's tables: two builds with the same one read,
// write and post the same. The sentences about a code are not part of it.
func Current() (contract.Release, error) { return current() }

// current is made once a process: the files that it is made of never change.
var current = sync.OnceValues(read)

func read() (contract.Release, error) {
	data, err := airlock.Files.ReadFile("config/release.json")
	if err != nil {
		return contract.Release{}, fmt.Errorf("read embedded config/release.json: %w", err)
	}
	var v version
	if err := contract.Decode(data, &v); err != nil {
		return contract.Release{}, fmt.Errorf("embedded config/release.json: %w", err)
	}
	digest, err := contractDigest(airlock.Files, untrusted.Digest())
	if err != nil {
		return contract.Release{}, fmt.Errorf("digest the contract: %w", err)
	}
	return contract.Release{Commit: v.Commit, Contract: digest, Version: v.Version}, nil
}

func contractDigest(files fs.FS, renderer string) (string, error) {
	form := contractForm{Renderer: renderer, Schemas: map[string]string{}}
	for _, reason := range contract.Reasons() {
		form.Reasons = append(form.Reasons, contractReason{Code: reason.Code, Fault: reason.Fault, Stage: reason.Stage})
	}
	names, err := fs.Glob(files, "schemas/*.json")
	if err != nil {
		return "", err
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		canonical, err := contract.Canonicalize(bytes.TrimSpace(data))
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		form.Schemas[name] = contract.Digest(canonical)
	}
	return contract.DigestOf(form)
}
