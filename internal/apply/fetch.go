package apply

import (
	"context"
	"errors"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/artifact"
	"github.com/seed-2ea642bd/airlock/internal/bundle"
	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// Bounds of what is fetched, in bytes.
const (
	maxResult = 4 << 20
	maxBundle = 16 << 20
	maxZip    = 24 << 20
)

// resultFile is the one file that is taken from run.
const resultFile = "result.json"

// fetchBundle takes decide's files by id and digest.
func (p *program) fetchBundle(ctx context.Context) error {
	want := artifact.Want{Owner: p.in.owner, Name: p.in.name, ID: p.in.bundle.id, RunID: p.in.runID, ZipDigest: p.in.bundle.zipDigest, MaxZipBytes: maxZip}
	for _, name := range bundle.Names() {
		want.Files = append(want.Files, artifact.File{Name: name, MaxBytes: maxBundle})
	}
	files, code, err := artifact.Fetch(ctx, p.read, want)
	if err != nil {
		fault := p.step.Fault(code, "the bundle: "+told(err), "nothing is used of a bundle that is not whole")
		if code == contract.CodePermissionDenied {
			fault.Next = "give the job the read permissions that the action's github-token names"
		}
		return fault
	}
	opened, err := bundle.Open(files, p.in.decisionDigest)
	var broken *bundle.Error
	switch {
	case errors.As(err, &broken):
		return p.step.Fault(broken.Code, "the bundle: "+broken.Error(), "nothing is used of a bundle that is not whole")
	case err != nil:
		return err
	case opened.Decision.Repository.ID != p.in.repositoryID || opened.Decision.Workflow.RunID != p.in.runID:
		return p.step.Fault(contract.CodeBundleMismatch, "the Decision is of another repository or workflow run", "it was handed to the wrong job")
	}
	p.bundle = opened
	return nil
}

// fetchResult takes run's one file by id and digest, or returns why there is none. A fault of the platform is not a Result
// that is missing for good, but it ends this execution alike.
func (p *program) fetchResult(ctx context.Context) contract.Code {
	if !p.bundle.Decision.Admitted {
		return ""
	}
	if p.in.result.id == 0 {
		return contract.CodeArtifactMissing
	}
	files, code, err := artifact.Fetch(ctx, p.read, artifact.Want{Owner: p.in.owner, Name: p.in.name, ID: p.in.result.id, RunID: p.in.runID,
		ZipDigest: p.in.result.zipDigest, MaxZipBytes: maxResult + 1<<20,
		Files: []artifact.File{{Name: resultFile, MaxBytes: maxResult, SHA256: strings.TrimPrefix(p.in.result.digest, "sha256:")}}})
	if err != nil {
		p.say("no result", "code", code, "error", told(err))
		return code
	}
	p.result = files[resultFile]
	return ""
}
