package facts

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

// The answers to the documents, as GitHub's schema describes them.

// bigInt is GitHub's BigInt: a decimal number in a string, or bare.
type bigInt int64

func (b *bigInt) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		text = string(data)
	}
	if text == "null" || text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("not a number of GitHub's")
	}
	*b = bigInt(n)
	return nil
}

// connection is one page of a list.
type connection[T any] struct {
	TotalCount int `json:"totalCount"`
	PageInfo   struct {
		HasNextPage bool   `json:"hasNextPage"`
		EndCursor   string `json:"endCursor"`
	} `json:"pageInfo"`
	Nodes []T `json:"nodes"`
}

type actor struct {
	Typename   string         `json:"__typename"`
	Login      untrusted.Text `json:"login"`
	DatabaseID int64          `json:"databaseId"`
}

// user takes over an account. A deleted one has the id 0, which is nobody's.
func (a *actor) user() contract.User {
	switch {
	case a == nil:
		return contract.User{Type: "User"}
	case a.Typename == "Bot":
		// GraphQL leaves out what the REST API and the pages write after an App's name.
		return contract.User{ID: a.DatabaseID, Login: untrusted.New(a.Login.Raw() + "[bot]"), Type: "Bot"}
	case a.Typename == "Organization":
		return contract.User{ID: a.DatabaseID, Login: a.Login, Type: "Organization"}
	}
	return contract.User{ID: a.DatabaseID, Login: a.Login, Type: "User"}
}

type objectID struct {
	OID string `json:"oid"`
}

type labelNode struct {
	Name string `json:"name"`
}

type commentNode struct {
	ID       bigInt         `json:"fullDatabaseId"`
	Body     untrusted.Text `json:"body"`
	Created  time.Time      `json:"createdAt"`
	EditedAt *time.Time     `json:"lastEditedAt"`
	Editor   *actor         `json:"editor"`
	Author   *actor         `json:"author"`
}

type reviewNode struct {
	NodeID    string         `json:"id"`
	ID        bigInt         `json:"fullDatabaseId"`
	Body      untrusted.Text `json:"body"`
	State     string         `json:"state"`
	Created   time.Time      `json:"createdAt"`
	Submitted *time.Time     `json:"submittedAt"`
	EditedAt  *time.Time     `json:"lastEditedAt"`
	Editor    *actor         `json:"editor"`
	Commit    *objectID      `json:"commit"`
	Author    *actor         `json:"author"`
}

type threadNode struct {
	NodeID            string         `json:"id"`
	Resolved          bool           `json:"isResolved"`
	Outdated          bool           `json:"isOutdated"`
	Path              untrusted.Text `json:"path"`
	Line              *int           `json:"line"`
	StartLine         *int           `json:"startLine"`
	OriginalLine      *int           `json:"originalLine"`
	OriginalStartLine *int           `json:"originalStartLine"`
	Side              string         `json:"diffSide"`
	ResolvedBy        *struct {
		DatabaseID int64          `json:"databaseId"`
		Login      untrusted.Text `json:"login"`
	} `json:"resolvedBy"`
	Comments connection[threadCommentNode] `json:"comments"`
}

type threadCommentNode struct {
	NodeID         string         `json:"id"`
	ID             bigInt         `json:"fullDatabaseId"`
	Body           untrusted.Text `json:"body"`
	State          string         `json:"state"`
	Created        time.Time      `json:"createdAt"`
	EditedAt       *time.Time     `json:"lastEditedAt"`
	Editor         *actor         `json:"editor"`
	OriginalCommit *objectID      `json:"originalCommit"`
	Review         *struct {
		ID bigInt `json:"fullDatabaseId"`
	} `json:"pullRequestReview"`
	Author *actor `json:"author"`
}

type blobNode struct {
	Typename  string  `json:"__typename"`
	ByteSize  int     `json:"byteSize"`
	Binary    *bool   `json:"isBinary"`
	Truncated bool    `json:"isTruncated"`
	Text      *string `json:"text"`
}

// headNode is the commit that was asked about, nil where the repository does not know it.
type headNode struct {
	Pulls connection[siblingNode] `json:"associatedPullRequests"`
}

type siblingNode struct {
	Number  int    `json:"number"`
	State   string `json:"state"`
	HeadOID string `json:"headRefOid"`
}

type pullNode struct {
	NodeID   string                  `json:"id"`
	Number   int                     `json:"number"`
	Title    untrusted.Text          `json:"title"`
	Body     untrusted.Text          `json:"body"`
	State    string                  `json:"state"`
	Draft    bool                    `json:"isDraft"`
	Locked   bool                    `json:"locked"`
	HeadOID  string                  `json:"headRefOid"`
	BaseRef  untrusted.Text          `json:"baseRefName"`
	EditedAt *time.Time              `json:"lastEditedAt"`
	Editor   *actor                  `json:"editor"`
	Author   *actor                  `json:"author"`
	Labels   connection[labelNode]   `json:"labels"`
	Comments connection[commentNode] `json:"comments"`
	Reviews  connection[reviewNode]  `json:"reviews"`
	Threads  connection[threadNode]  `json:"reviewThreads"`
}

type conversationAnswer struct {
	Repository *struct {
		DatabaseID    int64 `json:"databaseId"`
		Private       bool  `json:"isPrivate"`
		DefaultBranch *struct {
			Name   string    `json:"name"`
			Target *objectID `json:"target"`
		} `json:"defaultBranchRef"`
		Policy      *blobNode `json:"policy"`
		Head        *headNode `json:"head"`
		PullRequest *pullNode `json:"pullRequest"`
	} `json:"repository"`
}

type pageAnswer struct {
	Repository *struct {
		PullRequest *struct {
			Labels   connection[labelNode]   `json:"labels"`
			Comments connection[commentNode] `json:"comments"`
			Reviews  connection[reviewNode]  `json:"reviews"`
			Threads  connection[threadNode]  `json:"reviewThreads"`
		} `json:"pullRequest"`
	} `json:"repository"`
}

type threadPageAnswer struct {
	Node *struct {
		Comments connection[threadCommentNode] `json:"comments"`
	} `json:"node"`
}

// at takes over a time; editedAt one that may be absent.
func at(t time.Time) contract.Time { return contract.At(t) }

func editedAt(t *time.Time) *contract.Time {
	if t == nil {
		return nil
	}
	edited := contract.At(*t)
	return &edited
}

// editor takes over who edited a text last, nil where nobody did or that account is gone.
func editor(edited *time.Time, by *actor) *int64 {
	if edited == nil || by == nil || by.DatabaseID <= 0 {
		return nil
	}
	return &by.DatabaseID
}
