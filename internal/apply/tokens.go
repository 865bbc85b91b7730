package apply

import (
	"context"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/identity"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// tokens mints each planned token at its first use, and revokes all of them.
type tokens struct {
	minter       *identity.Minter
	repositoryID int64

	minted []*identity.Token
	// failed are the records of tokens that were not what was asked for, mint the calls of all mints.
	failed []contract.TokenRecord
	mint   contract.Calls
	// ended says that revocation was tried: what GitHub did not take then is in the record as it is, and is not tried again.
	ended bool
}

// client returns the client of a planned token.
func (t *tokens) client(ctx context.Context, planned plan.Token) (*github.Client, error) {
	if token := t.of(planned.Purpose); token != nil {
		return token.Client, nil
	}
	token, record, calls, err := t.minter.Mint(ctx, identity.Request{RepositoryID: t.repositoryID, Permissions: planned.Permissions, Purpose: planned.Purpose})
	t.mint.REST += calls.REST
	if err != nil {
		if record != nil {
			t.failed = append(t.failed, *record)
		}
		return nil, err
	}
	t.minted = append(t.minted, token)
	return token.Client, nil
}

// reporter returns a client that may write the check: that of the Effects where there is one, else one for the check alone.
func (t *tokens) reporter(ctx context.Context, report plan.Token) (*github.Client, error) {
	if token := t.of(contract.PurposeEffects); token != nil {
		return token.Client, nil
	}
	return t.client(ctx, report)
}

func (t *tokens) of(purpose string) *identity.Token {
	for _, token := range t.minted {
		if token.Record.Purpose == purpose {
			return token
		}
	}
	return nil
}

// revoke ends every token, once.
func (t *tokens) revoke(ctx context.Context) {
	if !t.ended {
		t.ended = true
		t.minter.Revoke(ctx, t.minted...)
	}
}

func (t *tokens) records() []contract.TokenRecord {
	records := append([]contract.TokenRecord{}, t.failed...)
	for _, token := range t.minted {
		records = append(records, token.Record)
	}
	return records
}

func (t *tokens) calls() contract.Calls {
	total := t.mint
	for _, token := range t.minted {
		used := token.Client.Calls()
		total.REST += used.REST
		total.GraphQL += used.GraphQL
	}
	return total
}
