package account

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

// DefaultServer is the address of GitHub's pages.
const DefaultServer = "https://github.com"

// serverOf is an address that links may begin with, or "".
func serverOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.User != nil || strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return ""
	}
	host := parsed.Hostname()
	if strings.Trim(strings.ToLower(host), "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return ""
	}
	loopback := host == "127.0.0.1" || host == "localhost"
	if parsed.Scheme != "https" && !(parsed.Scheme == "http" && loopback) {
		return ""
	}
	return parsed.Scheme + "://" + parsed.Host
}

// linker makes the addresses of GitHub's pages: "" where something of one is not known. They hold numbers, hexadecimal digits,
// and the owner's and the repository's name, whose form is closed.
type linker struct {
	server     string
	repository *contract.Repository
	item       *contract.Item
}

func (l linker) page(format string, arguments ...any) string {
	if l.server == "" || l.repository == nil {
		return ""
	}
	return l.server + "/" + l.repository.Owner + "/" + l.repository.Name + fmt.Sprintf(format, arguments...)
}

func (l linker) pull(fragment string, id int64) string {
	if l.item == nil || id == 0 && fragment != "" {
		return ""
	}
	page := l.page("/pull/%d", l.item.Number)
	if page == "" || fragment == "" {
		return page
	}
	return fmt.Sprintf("%s#%s%d", page, fragment, id)
}

func (l linker) review(id int64) string  { return l.pull("pullrequestreview-", id) }
func (l linker) comment(id int64) string { return l.pull("discussion_r", id) }

// links fills in the pages of the Run.
func (a *Account) links(r Records) {
	a.Links.Repository = a.link.page("")
	a.Links.Item = a.link.pull("", 0)
	if a.Commit != "" {
		a.Links.Commit = a.link.page("/commit/%s", a.Commit)
	}
	if r.Decision != nil {
		attempt := r.Decision.Workflow.Attempt
		if a.Attempt > 0 {
			attempt = a.Attempt
		}
		a.Links.Workflow = a.link.page("/actions/runs/%d/attempts/%d", r.Decision.Workflow.RunID, attempt)
	}
	if a.Check != nil && a.Check.ReadBack {
		a.Check.URL = a.link.page("/runs/%d", a.Check.DatabaseID)
	}
}
