package emulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// blobPrefix is where the bytes of artifacts are: another service than the API, as with GitHub.
const blobPrefix = "/_blob/"

const (
	// artifactLife is how long an artifact is kept.
	artifactLife = 90 * 24 * time.Hour
	// blobLife is how long the address of the bytes works.
	blobLife = time.Minute
)

// seal fills in what follows from the bytes.
func (artifact *Artifact) seal(now time.Time) {
	digest := sha256.Sum256(artifact.Zip)
	artifact.Digest, artifact.Bytes = hex.EncodeToString(digest[:]), int64(len(artifact.Zip))
	setTime(&artifact.CreatedAt, now)
	setTime(&artifact.ExpiresAt, artifact.CreatedAt.Add(artifactLife))
}

// artifactOf finds the artifact in the path.
func (c *call) artifactOf() (*Artifact, answer) {
	id, err := c.id("artifact_id")
	if err != nil {
		return nil, notFound()
	}
	artifact := c.server.world.artifact(id)
	if artifact == nil {
		return nil, notFound()
	}
	return artifact, answer{}
}

// getArtifact answers with what is known of an artifact.
func (server *Server) getArtifact(c *call) answer {
	artifact, refusal := c.artifactOf()
	if artifact == nil {
		return refusal
	}
	return ok(c.artifactAnswer(artifact))
}

// listArtifacts lists those of all runs, newest first.
func (server *Server) listArtifacts(c *call) answer {
	return c.artifactsOf(func(*Artifact) bool { return true })
}

// listRunArtifacts lists those of one run, of all its attempts.
func (server *Server) listRunArtifacts(c *call) answer {
	run, refusal := c.runOf()
	if run == nil {
		return refusal
	}
	return c.artifactsOf(func(artifact *Artifact) bool { return artifact.RunID == run.ID })
}

func (c *call) artifactsOf(wanted func(*Artifact) bool) answer {
	var artifacts []any
	for i := len(c.server.world.artifacts) - 1; i >= 0; i-- {
		artifact := c.server.world.artifacts[i]
		if name := c.query.Get("name"); wanted(artifact) && (name == "" || name == artifact.Name) {
			artifacts = append(artifacts, c.artifactAnswer(artifact))
		}
	}
	return c.pageIn("artifacts", artifacts, nil)
}

func (artifact *Artifact) expired(now time.Time) bool { return !now.Before(artifact.ExpiresAt) }

// downloadArtifact answers with the address of the bytes, which needs no credential and works for a minute.
func (server *Server) downloadArtifact(c *call) answer {
	artifact, refusal := c.artifactOf()
	if artifact == nil {
		return refusal
	}
	if c.http.PathValue("archive_format") != "zip" {
		return notFound()
	}
	now := server.clock.now()
	if artifact.expired(now) {
		return problem(http.StatusGone, "Artifact has expired")
	}
	until := strconv.FormatInt(now.Add(blobLife).Unix(), 10)
	header := http.Header{}
	header.Set("Location", fmt.Sprintf("%s%s%d.zip?se=%s&sig=%s", c.base(), blobPrefix, artifact.ID, until, blobSignature(artifact.ID, until)))
	return answer{status: http.StatusFound, header: header}
}

func blobSignature(id int64, until string) string {
	code := hmac.New(sha256.New, []byte("emulated blob store"))
	fmt.Fprintf(code, "%d %s", id, until)
	return hex.EncodeToString(code.Sum(nil))
}

// serveBlob gives the bytes of an artifact. A request with credentials is refused: the store takes them for its own.
func (server *Server) serveBlob(c *call) answer {
	refuse := func(status int, code string) answer {
		header := http.Header{}
		header.Set("Content-Type", "application/xml")
		return answer{status: status, header: header, body: []byte(`<?xml version="1.0" encoding="utf-8"?><Error><Code>` + code + `</Code></Error>`)}
	}
	if c.http.Header.Get("Authorization") != "" {
		return refuse(http.StatusBadRequest, "InvalidAuthenticationInfo")
	}
	name := strings.TrimPrefix(c.http.URL.Path, blobPrefix)
	id, err := strconv.ParseInt(strings.TrimSuffix(name, ".zip"), 10, 64)
	artifact := server.world.artifact(id)
	until := c.query.Get("se")
	if err != nil || artifact == nil || c.http.Method != http.MethodGet {
		return refuse(http.StatusNotFound, "BlobNotFound")
	}
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || c.query.Get("sig") != blobSignature(id, until) || server.clock.now().Unix() >= seconds {
		return refuse(http.StatusForbidden, "AuthenticationFailed")
	}
	header := http.Header{}
	header.Set("Content-Type", "application/zip")
	return answer{status: http.StatusOK, header: header, body: artifact.Zip}
}

func (c *call) artifactAnswer(artifact *Artifact) object {
	api := fmt.Sprintf("%s/actions/artifacts/%d", c.repositoryURL(), artifact.ID)
	run := c.server.world.run(artifact.RunID)
	return object{
		"id": artifact.ID, "node_id": nodeID("MDg6QXJ0aWZhY3Q", artifact.ID), "name": artifact.Name, "size_in_bytes": artifact.Bytes,
		"url": api, "archive_download_url": api + "/zip", "expired": artifact.expired(c.server.clock.now()), "digest": "sha256:" + artifact.Digest,
		"created_at": artifact.CreatedAt.Format(time.RFC3339), "updated_at": artifact.CreatedAt.Format(time.RFC3339),
		"expires_at": artifact.ExpiresAt.Format(time.RFC3339),
		"workflow_run": object{"id": run.ID, "repository_id": c.server.world.repository.ID, "head_repository_id": run.HeadRepositoryID,
			"head_branch": run.HeadBranch, "head_sha": run.HeadCommit},
	}
}
