package broker

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// Bounds of the road to the host.
const (
	dialLimit            = 30 * time.Second
	handshakeLimit       = 30 * time.Second
	upstreamHeadersBytes = 64 << 10
)

// Upstream is the one host that a broker forwards to.
type Upstream struct {
	scheme, host string
	// Loopback says that it is this machine, over plain HTTP: a stand-in, never the vendor.
	Loopback bool
}

// errUpstream says nothing of the address, which a repository's configuration may hold.
var errUpstream = errors.New("only https, or http on loopback, without path, query or user")

// ParseUpstream reads an address: https anywhere, plain http on loopback alone.
func ParseUpstream(address string) (Upstream, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" || parsed.Path != "" && parsed.Path != "/" {
		return Upstream{}, errUpstream
	}
	switch parsed.Scheme {
	case "https":
		return Upstream{scheme: "https", host: parsed.Host}, nil
	case "http":
		if ip, err := netip.ParseAddr(parsed.Hostname()); parsed.Hostname() == "localhost" || err == nil && ip.IsLoopback() {
			return Upstream{scheme: "http", host: parsed.Host, Loopback: true}, nil
		}
	}
	return Upstream{}, errUpstream
}

// transport is a road that takes no proxy from anywhere, speaks TLS 1.2 or later to whom the system's roots vouch for,
// decompresses nothing and follows nothing. It keeps no connection: what a server sends unasked on an idle one would be
// logged by the library.
func (u Upstream) transport() *http.Transport {
	dialer := &net.Dialer{Timeout: dialLimit}
	if u.Loopback {
		dialer.Control = onlyLoopback
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeLimit,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: upstreamHeadersBytes,
		Protocols:              protocols,
	}
}

// onlyLoopback refuses an address that a name was resolved to and that is not this machine.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	if at, err := netip.ParseAddrPort(address); err != nil || !at.Addr().IsLoopback() {
		return errUpstream
	}
	return nil
}
