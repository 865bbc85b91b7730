package apply

import (
	"context"
	"fmt"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/identity"
	"github.com/seed-2ea642bd/airlock/internal/plan"
)

// tokens mints each planned token at its first use, and revokes all of them.
type tokens struct {
	minter       *identity.Minter
	repositoryID int64
	plan         []plan.Token

	minted []*identity.Token
	failed []contract.TokenRecord
	mint   contract.Calls
}

// client returns the client of the token with this purpose. A mint that failed is not tried again.
func (t *tokens) client(ctx context.Context, purpose string) (*github.Client, error) {
	for _, token := range t.minted {
		if token.Record.Purpose == purpose {
			return token.Client, nil
		}
	}
	for _, planned := range t.plan {
		if planned.Purpose != purpose {
			continue
		}
		token, record, calls, err := t.minter.Mint(ctx, identity.Request{RepositoryID: t.repositoryID, Permissions: planned.Permissions, Purpose: purpose})
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
	return nil, fmt.Errorf("no token is planned for %s", purpose)
}

// revoke ends every token; it is idempotent.
func (t *tokens) revoke(ctx context.Context) {
	for _, token := range t.minted {
		t.minter.Revoke(ctx, token)
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
