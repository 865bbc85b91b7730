package artifact

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// unpack reads exactly the wanted files from an archive whose digest was checked.
func unpack(archive []byte, want []File) (map[string][]byte, contract.Code, error) {
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, contract.CodeArtifactShape, fmt.Errorf("the archive is not a zip file")
	}
	if len(reader.File) != len(want) {
		return nil, contract.CodeArtifactShape, fmt.Errorf("the archive has %d entries, %d are expected", len(reader.File), len(want))
	}
	entries := make(map[string]*zip.File, len(want))
	for _, entry := range reader.File {
		entries[entry.Name] = entry
	}
	files := make(map[string][]byte, len(want))
	for _, wanted := range want {
		entry := entries[wanted.Name]
		if entry == nil {
			return nil, contract.CodeArtifactShape, fmt.Errorf("the archive has an entry of another name, and no %s", wanted.Name)
		}
		data, code, err := extract(entry, wanted)
		if err != nil {
			return nil, code, fmt.Errorf("%s: %w", wanted.Name, err)
		}
		files[wanted.Name] = data
	}
	return files, "", nil
}

// extract reads one entry within its bound. The size in the entry's header is not believed.
func extract(entry *zip.File, want File) ([]byte, contract.Code, error) {
	if !entry.Mode().IsRegular() {
		return nil, contract.CodeArtifactShape, fmt.Errorf("the entry is not a regular file")
	}
	content, err := entry.Open()
	if err != nil {
		return nil, contract.CodeArtifactShape, fmt.Errorf("the entry cannot be unpacked")
	}
	defer func() { _ = content.Close() }() // it reads from memory
	data, err := io.ReadAll(io.LimitReader(content, want.MaxBytes+1))
	switch {
	case int64(len(data)) > want.MaxBytes:
		return nil, contract.CodeArtifactTooLarge, fmt.Errorf("the file has more than %d bytes", want.MaxBytes)
	case err != nil:
		return nil, contract.CodeArtifactShape, fmt.Errorf("the entry cannot be unpacked")
	}
	sum := sha256.Sum256(data)
	if want.SHA256 != "" && hex.EncodeToString(sum[:]) != want.SHA256 {
		return nil, contract.CodeArtifactDigest, fmt.Errorf("the file has another digest than the one that was handed on")
	}
	return data, "", nil
}
