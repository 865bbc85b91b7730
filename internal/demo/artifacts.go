package demo

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// uploaded is an artifact as its job's outputs name it. The zero value is none.
type uploaded struct {
	id     int64
	digest string
	files  map[string][]byte
	// sha256 is the digest, in hexadecimal, of the one file that the next job holds it to.
	sha256 string
}

// upload is what the upload step does: the files of a folder in one archive, under one name, as an artifact of the workflow
// run. held is the file whose digest goes on beside it.
func (s *stage) upload(run int64, name, folder, held string) (uploaded, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return uploaded{}, fmt.Errorf("upload %s: %w", name, err)
	}
	up := uploaded{files: map[string][]byte{}}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return uploaded{}, fmt.Errorf("upload %s: %w", name, err)
		}
		file, err := w.Create(entry.Name())
		if err == nil {
			_, err = file.Write(data)
		}
		if err != nil {
			return uploaded{}, fmt.Errorf("upload %s: %w", name, err)
		}
		up.files[entry.Name()] = data
	}
	if err := w.Close(); err != nil {
		return uploaded{}, fmt.Errorf("upload %s: %w", name, err)
	}
	artifact, err := s.server.UploadArtifact(run, name, archive.Bytes())
	if err != nil {
		return uploaded{}, fmt.Errorf("upload %s: %w", name, err)
	}
	up.id, up.digest = artifact.ID, strings.TrimPrefix(artifact.Digest, "sha256:")
	up.sha256 = strings.TrimPrefix(contract.Digest(up.files[held]), "sha256:")
	return up, nil
}

// download is what the download step does: the files of one artifact, by its id.
func (s *stage) download(id int64) (folder string, err error) {
	archive, err := s.server.ArtifactZip(id)
	if err != nil {
		return "", fmt.Errorf("download the artifact %d: %w", id, err)
	}
	if folder, err = os.MkdirTemp(s.work, "download-"); err != nil {
		return "", err
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return "", fmt.Errorf("download the artifact %d: %w", id, err)
	}
	for _, entry := range r.File {
		if err := extract(entry, filepath.Join(folder, filepath.Base(entry.Name))); err != nil {
			return "", fmt.Errorf("download the artifact %d: %w", id, err)
		}
	}
	return folder, nil
}

func extract(entry *zip.File, path string) error {
	file, err := entry.Open()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(file)
	return errors.Join(err, file.Close(), os.WriteFile(path, data, 0o600))
}
