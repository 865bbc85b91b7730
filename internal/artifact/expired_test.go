package artifact_test

import (
	"context"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/artifact"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/emulator"
)

// TestAnExpiredArtifactIsNotDownloaded holds that what GitHub says of an artifact is enough to know that it is gone.
func TestAnExpiredArtifactIsNotDownloaded(t *testing.T) {
	p := put(t, archive(t, entry{name: "result.json", content: "{}\n"}))
	if err := p.Inject(emulator.Fault{Kind: "artifact-expired"}); err != nil {
		t.Fatal(err)
	}
	if _, code, err := artifact.Fetch(context.Background(), p.client, p.want); code != contract.CodeArtifactExpired || err == nil || p.client.Calls().REST != 1 {
		t.Errorf("code %q, error %v after %d calls", code, err, p.client.Calls().REST)
	}
}
