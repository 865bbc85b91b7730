package emulator

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Sizes of a page of REST.
const (
	usualPage   = 30
	largestPage = 100
)

// pageLimit is the largest page this emulator gives.
func (server *Server) pageLimit() int {
	if server.options.PageLimit > 0 && server.options.PageLimit < largestPage {
		return server.options.PageLimit
	}
	return largestPage
}

// page answers with one page of a list, and with links to the others.
func (c *call) page(all []any) answer {
	shown, header := c.cut(all)
	return answer{status: http.StatusOK, header: header, body: shown}
}

// pageIn answers with one page of a list inside an object that says how many there are in all.
func (c *call) pageIn(name string, all []any, with object) answer {
	shown, header := c.cut(all)
	body := object{"total_count": len(all), name: shown}
	for key, value := range with {
		body[key] = value
	}
	return answer{status: http.StatusOK, header: header, body: body}
}

// cut returns the page asked for; it is never nil, since an empty list is not null.
func (c *call) cut(all []any) ([]any, http.Header) {
	size, number := usualPage, 1
	if asked, err := strconv.Atoi(c.query.Get("per_page")); err == nil {
		size = asked
	}
	if asked, err := strconv.Atoi(c.query.Get("page")); err == nil {
		number = asked
	}
	size = min(size, c.server.pageLimit())
	last := max((len(all)+size-1)/size, 1)
	start := min((number-1)*size, len(all))
	shown := append([]any{}, all[start:min(start+size, len(all))]...)

	var links []string
	link := func(relation string, page int) {
		query := url.Values{}
		for name, values := range c.query {
			query[name] = values
		}
		query.Set("page", strconv.Itoa(page))
		links = append(links, fmt.Sprintf("<%s%s?%s>; rel=%q", c.base(), c.http.URL.EscapedPath(), query.Encode(), relation))
	}
	if number > 1 {
		link("prev", min(number-1, last))
	}
	if number < last {
		link("next", number+1)
		link("last", last)
	}
	if number > 1 {
		link("first", 1)
	}
	header := http.Header{}
	if len(links) > 0 {
		header.Set("Link", strings.Join(links, ", "))
	}
	return shown, header
}

// base is the address the client used for the API.
func (c *call) base() string { return "http://" + c.http.Host }
