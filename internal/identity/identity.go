// Package identity makes the narrowed installation token of one Run: asked for one repository and exactly the permissions
// that are needed, verified in the answer to the mint itself, and revoked on every way out that the process can see.
//
// Keys and tokens live in memory only. The sources of the rules are GitHub's pages on authenticating as an App and the
// observed behaviour of the mint: iat at most a minute back and exp at most ten minutes ahead are accepted; the answer adds
// metadata: read to what was asked.
package identity

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/github"
	"github.com/seed-2ea642bd/airlock/internal/secret"
)

// Fault is why there is no token: its code is one of the identity codes of stage effect, rate_limited or platform_error.
type Fault struct {
	Code contract.Code
	// What is printable ASCII: our words, and after a refused mint GitHub's own sentence about the App.
	What  string
	Cause error
}

func (f *Fault) Error() string { return f.What }

func (f *Fault) Unwrap() error { return f.Cause }

// CodeOf returns the code of a [*Fault], or platform_error for any other error.
func CodeOf(err error) contract.Code {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault.Code
	}
	return contract.CodePlatformError
}

// Minter makes tokens of one App.
type Minter struct {
	App contract.App
	Key *rsa.PrivateKey
	// APIURL and GraphQLURL are those of package github; Transport and Sleep too.
	APIURL, GraphQLURL string
	Transport          http.RoundTripper
	Sleep              func(context.Context, time.Duration) error
	Now                func() time.Time
}

// Request is what a token is for. Permissions are by GitHub's names, each "read" or "write".
type Request struct {
	RepositoryID int64
	Permissions  map[string]string
	Purpose      string
}

// Token is one minted and verified token.
type Token struct {
	// Record is what the Run's record says of it; Revoked is set by [Minter.Revoke].
	Record contract.TokenRecord
	// Client calls GitHub with it.
	Client *github.Client

	credential secret.Credential
}

// Bounds of what goes on where the Run is cancelled meanwhile. A mint does, because an answer that nobody waits for would be a
// token that nobody revokes, and a revocation does. The runner kills a cancelled step ten seconds after it signalled it, so
// the two together leave it half of that.
const (
	mintTime    = 10 * time.Second
	mintGrace   = 2 * time.Second
	revokeTime  = 5 * time.Second
	revokeGrace = 2500 * time.Millisecond
	revokeTries = 3
)

// outliving is a context that lasts for most, and after ctx was cancelled for grace at most.
func outliving(ctx context.Context, most, grace time.Duration) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	stop := context.AfterFunc(ctx, func() {
		last, end := context.WithTimeout(lasting, grace)
		<-last.Done()
		end()
		cancel()
	})
	return lasting, func() { stop(); cancel() }
}

// ParseKey reads the App's private key, a PEM block of an RSA key as GitHub generates it.
func ParseKey(pem secret.Credential) (*rsa.PrivateKey, error) {
	key, err := jwt.ParseRSAPrivateKeyFromPEM([]byte(pem.Reveal()))
	if err != nil {
		// The parser's own words may quote the key's bytes.
		return nil, &Fault{Code: contract.CodeIdentityKey, What: "the App's private key is not a PEM block of an RSA key"}
	}
	if key.N.BitLen() < 2048 {
		return nil, &Fault{Code: contract.CodeIdentityKey, What: "the App's private key is shorter than 2048 bits"}
	}
	return key, nil
}

// assertion signs the App's JWT. now is GitHub's clock as far as it is known.
func (m *Minter) assertion(now time.Time) (secret.Credential, error) {
	claims := jwt.RegisteredClaims{
		Issuer:    strconv.FormatInt(m.App.AppID, 10),
		IssuedAt:  jwt.NewNumericDate(now.Add(-time.Minute).Truncate(time.Second)),
		ExpiresAt: jwt.NewNumericDate(now.Add(5 * time.Minute).Truncate(time.Second)),
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(m.Key)
	if err != nil {
		return secret.Credential{}, &Fault{Code: contract.CodeIdentityKey, What: "the App's private key does not sign"}
	}
	return secret.New(signed), nil
}

func (m *Minter) client(token secret.Credential, transport http.RoundTripper) (*github.Client, error) {
	return github.New(github.Options{APIURL: m.APIURL, GraphQLURL: m.GraphQLURL, Token: token, Transport: transport, Sleep: m.Sleep})
}

// minted is the answer to the mint.
type minted struct {
	Token        string            `json:"token"`
	ExpiresAt    time.Time         `json:"expires_at"`
	Permissions  map[string]string `json:"permissions"`
	Selection    string            `json:"repository_selection"`
	Repositories []struct {
		ID int64 `json:"id"`
	} `json:"repositories"`
}

// Mint asks for a token and verifies the answer: the permissions asked for and metadata: read, nothing else, on the one
// repository, selected. A token that is anything else is revoked at once and is a [*Fault] that says in what it differs. The
// record it returns beside such a fault says what was granted. Where GitHub refuses the assertion, it is signed once more by
// GitHub's own clock. Nothing is asked for where the request is not narrow, or the Run was cancelled before.
func (m *Minter) Mint(ctx context.Context, request Request) (*Token, *contract.TokenRecord, contract.Calls, error) {
	var calls contract.Calls
	if what := tooWide(request); what != "" {
		return nil, nil, calls, &Fault{Code: contract.CodeIdentityRequest, What: "no token is asked for: " + what}
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, calls, &Fault{Code: contract.CodeInterrupted, What: "no token is asked for any more", Cause: err}
	}
	ctx, cancel := outliving(ctx, mintTime, mintGrace)
	defer cancel()
	now := m.Now()
	answer, err := m.ask(ctx, request, now, &calls)
	var failure *github.Error
	if errors.As(err, &failure) && failure.Class == github.ClassUnauthorized && !failure.Date.IsZero() {
		if skew := failure.Date.Sub(now); skew > largestSkew || skew < -largestSkew {
			now = failure.Date
			answer, err = m.ask(ctx, request, now, &calls)
		}
	}
	if err != nil {
		return nil, nil, calls, refused(err)
	}
	token := &Token{credential: secret.New(answer.Token), Record: contract.TokenRecord{
		ExpiresAt: contract.At(answer.ExpiresAt), Granted: representable(answer.Permissions), Purpose: request.Purpose,
		RepositoryID: request.RepositoryID, Requested: maps.Clone(request.Permissions),
	}}
	token.Client, err = m.client(token.credential, m.Transport)
	if err != nil {
		return nil, nil, calls, &Fault{Code: contract.CodePlatformError, What: "the mint answered without a usable token"}
	}
	if code, what := differs(request, answer, now); code != "" {
		m.Revoke(ctx, token)
		used := token.Client.Calls()
		calls.REST += used.REST
		return nil, &token.Record, calls, &Fault{Code: code, What: "the token is not what was asked for: " + what}
	}
	return token, &token.Record, calls, nil
}

// largestSkew is the difference of two clocks from which a refused assertion is signed again: below it GitHub refuses for
// another reason.
const largestSkew = 30 * time.Second

// representable keeps of what was granted what applied/1 can say: names of GitHub's, read or write. It is never nil.
func representable(granted map[string]string) map[string]string {
	said := map[string]string{}
	for name, access := range granted {
		if permissionName.MatchString(name) && (access == "read" || access == "write") {
			said[name] = access
		}
	}
	return said
}

var permissionName = regexp.MustCompile(`^[a-z][a-z_]{0,49}$`)

func (m *Minter) ask(ctx context.Context, request Request, now time.Time, calls *contract.Calls) (minted, error) {
	assertion, err := m.assertion(now)
	if err != nil {
		return minted{}, err
	}
	defer assertion.Wipe()
	client, err := m.client(assertion, m.Transport)
	if err != nil {
		return minted{}, err
	}
	in := struct {
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}{[]int64{request.RepositoryID}, request.Permissions}
	var answer minted
	_, err = client.REST(ctx, http.MethodPost, fmt.Sprintf("app/installations/%d/access_tokens", m.App.InstallationID), in, &answer)
	used := client.Calls()
	calls.REST += used.REST
	return answer, err
}

// Revoke ends the tokens, each tried three times, all within one deadline of its own, so that a cancelled Run revokes too.
// It is idempotent. Whether a token is known to be revoked stands in its record: by GitHub's word, or because GitHub knew it
// before and twice does not any more. A token that GitHub never knew is not taken for a dead one, since it may be too new.
func (m *Minter) Revoke(ctx context.Context, tokens ...*Token) {
	ctx, cancel := outliving(ctx, revokeTime, revokeGrace)
	defer cancel()
	var all sync.WaitGroup
	for _, token := range tokens {
		if !token.Record.Revoked {
			all.Go(func() { m.revoke(ctx, token) }) // beside each other, so that one that hangs costs no other its time
		}
	}
	all.Wait()
}

func (m *Minter) revoke(ctx context.Context, token *Token) {
	unknown := 0
	for try := range revokeTries {
		if try > 0 && m.Sleep(ctx, time.Duration(try)*time.Second) != nil {
			return
		}
		answer, err := token.Client.REST(ctx, http.MethodDelete, "installation/token", nil, nil)
		var failure *github.Error
		if errors.As(err, &failure) && failure.Class == github.ClassUnauthorized && failure.Known {
			unknown++
		}
		if err == nil && answer.Status == http.StatusNoContent || unknown == 2 {
			token.Record.Revoked = true
			token.credential.Wipe()
			return
		}
	}
}
