// Package artifact takes one workflow artifact by its id, in memory.
//
// It promises that what it returns is exactly the files that were asked for, from the workflow run that was named, and
// that the bytes are those whose digests travelled by another way. Nothing is written to disk and no name inside the
// archive is ever a path. It leaves to others what the files say.
package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
)

// Want says which artifact, and what it must be.
type Want struct {
	Owner, Name string
	ID          int64
	// RunID is the workflow run the artifact must belong to, in any attempt.
	RunID int64
	// ZipDigest is the sha256 of the archive in 64 hexadecimal digits, as the upload gave it.
	ZipDigest string
	// Files are the regular files the archive must hold, all of them and no other entry.
	Files []File
	// MaxZipBytes bounds the archive.
	MaxZipBytes int64
}

// File is one file of an artifact.
type File struct {
	Name string
	// SHA256 is the digest of the file in 64 hexadecimal digits; empty where the caller checks it.
	SHA256   string
	MaxBytes int64
}

// Waits before a missing artifact is asked for again: it may not be visible for some seconds after its upload.
func waits() []time.Duration { return []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} }

// metadata is what GitHub says of an artifact. Its digest is null for old ones.
type metadata struct {
	ID          int64   `json:"id"`
	Bytes       int64   `json:"size_in_bytes"`
	Expired     bool    `json:"expired"`
	Digest      *string `json:"digest"`
	WorkflowRun *struct {
		ID int64 `json:"id"`
	} `json:"workflow_run"`
}

// Fetch returns the files by name. A fault is an error and the code it has: [contract.CodeArtifactMissing],
// [contract.CodeArtifactExpired], [contract.CodeArtifactDigest], [contract.CodeArtifactTooLarge],
// [contract.CodeArtifactShape], or one of the platform's where GitHub did not answer. The error never quotes the archive.
//
// The archive is downloaded once more where its bytes broke off or have another digest. Two API calls when all is well.
func Fetch(ctx context.Context, client *github.Client, want Want) (map[string][]byte, contract.Code, error) {
	path := fmt.Sprintf("%s/actions/artifacts/%d", github.Repository(want.Owner, want.Name), want.ID)
	if code, err := examine(ctx, client, path, want); err != nil {
		return nil, code, fmt.Errorf("artifact %d: %w", want.ID, err)
	}
	archive, code, err := download(ctx, client, path+"/zip", want)
	if err != nil {
		return nil, code, fmt.Errorf("artifact %d: %w", want.ID, err)
	}
	files, code, err := unpack(archive, want.Files)
	if err != nil {
		return nil, code, fmt.Errorf("artifact %d: %w", want.ID, err)
	}
	return files, "", nil
}

// examine holds what GitHub says of the artifact to what is wanted.
func examine(ctx context.Context, client *github.Client, path string, want Want) (contract.Code, error) {
	var meta metadata
	err := patiently(ctx, client, func() error {
		meta = metadata{}
		_, err := client.REST(ctx, "GET", path, nil, &meta)
		return err
	})
	switch {
	case err != nil:
		return codeOf(err), err
	case meta.ID != want.ID || meta.WorkflowRun == nil:
		return contract.CodePlatformError, github.Malformed("GET /"+path, "the answer is not the artifact that was asked for")
	case meta.WorkflowRun.ID != want.RunID:
		return contract.CodeArtifactMissing, fmt.Errorf("it belongs to workflow run %d, not to %d", meta.WorkflowRun.ID, want.RunID)
	case meta.Expired:
		return contract.CodeArtifactExpired, fmt.Errorf("it has expired")
	case meta.Bytes > want.MaxZipBytes:
		return contract.CodeArtifactTooLarge, fmt.Errorf("the archive has %d bytes, %d are allowed", meta.Bytes, want.MaxZipBytes)
	case meta.Digest != nil && *meta.Digest != "sha256:"+want.ZipDigest:
		return contract.CodeArtifactDigest, fmt.Errorf("GitHub's digest of the archive is not the one that the upload gave")
	}
	return "", nil
}

// download reads the archive, once more where that may help.
func download(ctx context.Context, client *github.Client, path string, want Want) ([]byte, contract.Code, error) {
	for last := false; ; last = true {
		var archive []byte
		err := patiently(ctx, client, func() (err error) {
			archive, err = client.Stored(ctx, path, want.MaxZipBytes)
			return err
		})
		if err != nil {
			if broken(err) && !last {
				continue
			}
			return nil, codeOf(err), err
		}
		sum := sha256.Sum256(archive)
		if hex.EncodeToString(sum[:]) == want.ZipDigest {
			return archive, "", nil
		}
		if last {
			return nil, contract.CodeArtifactDigest, fmt.Errorf("the archive of %d bytes has another digest than the upload gave", len(archive))
		}
	}
}

// patiently asks again while the answer is 404.
func patiently(ctx context.Context, client *github.Client, ask func() error) error {
	err := ask()
	for _, wait := range waits() {
		if github.ClassOf(err) != github.ClassNotFound {
			break
		}
		if client.Sleep(ctx, wait) != nil {
			break
		}
		err = ask()
	}
	return err
}

// broken reports whether the bytes may be whole another time.
func broken(err error) bool {
	class := github.ClassOf(err)
	return class == github.ClassUnreachable || class == github.ClassUnavailable
}

func codeOf(err error) contract.Code {
	switch github.ClassOf(err) {
	case github.ClassNotFound:
		return contract.CodeArtifactMissing
	case github.ClassGone:
		return contract.CodeArtifactExpired
	case github.ClassTooLarge:
		return contract.CodeArtifactTooLarge
	}
	return github.CodeOf(err)
}
