// Package sarif writes accounts of Runs as SARIF 2.1.0, the form in which code scanning tools exchange results.
//
// It promises that each account is one run of the tool; that its results are the Findings that stand on the item, open or not
// gating, each on a line of the change where it has one; that every path is relative to the repository's root; and that texts
// of others are plain text, in which neither a link nor a placeholder of SARIF is left.
package sarif

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/seed-2ea642bd/airlock/internal/account"
	"github.com/seed-2ea642bd/airlock/internal/contract"
	"github.com/seed-2ea642bd/airlock/internal/untrusted"
)

const (
	schemaURI   = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	information = "https://github.com/seed-2ea642bd/airlock"
	// root stands for the folder that paths are relative to.
	root = "SRCROOT"
	// unknownRule is of a Finding of which no record here says more than that it is open.
	unknownRule = "finding"
)

// Write makes one SARIF document of the accounts, a run each, indented.
func Write(accounts []account.Account) ([]byte, error) {
	report := sarif.NewReport()
	report.Schema = schemaURI
	for _, a := range accounts {
		report.AddRun(runOf(a))
	}
	data, err := json.Marshal(report)
	if err != nil {
		return nil, fmt.Errorf("write SARIF: %w", err)
	}
	return tidy(data)
}

// runOf makes one run. The rules are those of its results, in alphabetical order.
func runOf(a account.Account) *sarif.Run {
	run := sarif.NewRunWithInformationURI("airlock", information)
	run.AutomationDetails = sarif.NewRunAutomationDetails().WithID(automationID(a))
	if a.Release != nil {
		run.Tool.Driver.WithSemanticVersion(a.Release.Version)
	}
	if a.Links.Repository != "" && a.Commit != "" {
		run.VersionControlProvenance = append(run.VersionControlProvenance, sarif.NewVersionControlDetails().WithRevisionID(a.Commit).
			WithRepositoryURI(a.Links.Repository).WithMappedTo(sarif.NewArtifactLocation().WithURIBaseID(root)))
	}
	run.Invocations = append(run.Invocations, invocation(a))
	var standing []account.Finding
	rules := map[string]*sarif.ReportingDescriptor{}
	for _, finding := range a.Findings {
		if stands(a, finding) {
			standing = append(standing, finding)
			rules[ruleID(finding)] = rule(finding)
		}
	}
	for _, described := range rules {
		run.Tool.Driver.AddRule(described)
	}
	slices.SortFunc(run.Tool.Driver.Rules, func(a, b *sarif.ReportingDescriptor) int { return cmp.Compare(*a.ID, *b.ID) })
	for _, finding := range standing {
		at := slices.IndexFunc(run.Tool.Driver.Rules, func(r *sarif.ReportingDescriptor) bool { return *r.ID == ruleID(finding) })
		run.AddResult(result(finding).WithRuleIndex(at))
	}
	return run
}

// automationID begins with what is the same for all Runs of a Role: what comes before the last slash is the category by which
// GitHub replaces earlier results.
func automationID(a account.Account) string {
	id := "airlock/" + cmp.Or(a.Role, "unknown-role") + "/" + a.Run
	if a.Attempt > 1 {
		id += fmt.Sprintf("-attempt-%d", a.Attempt)
	}
	return id
}

// stands reports whether a Finding is a result: what is open, and what does not gate and was posted. Where nothing says what is
// open, what was posted counts.
func stands(a account.Account, f account.Finding) bool {
	posted := f.State == account.StatePosted || f.State == account.StateAlreadyOpen
	return f.Open || posted && (!f.Gates || a.Status == "")
}

func ruleID(f account.Finding) string {
	if f.Severity == "" {
		return unknownRule
	}
	return f.Category + "/" + f.Severity
}

// level of a severity. A Finding whose severity is not known is open, so it gates.
func level(severity string) string {
	switch severity {
	case contract.SeverityMinor:
		return sarif.LevelWarning
	case contract.SeverityNote:
		return sarif.LevelNote
	}
	return sarif.LevelError
}

func rule(f account.Finding) *sarif.ReportingDescriptor {
	described := "A problem of category " + f.Category + " and severity " + f.Severity + "."
	if f.Severity == "" {
		described = "A problem that is open, and of which no record here says more."
	}
	return sarif.NewReportingDescriptor().WithID(ruleID(f)).WithShortDescription(sarif.NewMultiformatMessageString().WithText(described)).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(level(f.Severity))).WithHelpURI(information)
}

func result(f account.Finding) *sarif.Result {
	out := sarif.NewResult().WithRuleID(ruleID(f)).WithLevel(level(f.Severity)).WithMessage(sarif.NewMessage().WithText(message(f)))
	out.PartialFingerprints = map[string]string{"airlockFinding/v1": f.ID}
	if f.Fingerprint != "" {
		out.PartialFingerprints = map[string]string{"airlockFingerprint/v1": f.Fingerprint}
	}
	if f.URL != "" {
		out.WithHostedViewerURI(f.URL)
	}
	bag := sarif.NewPropertyBag().Add("finding", f.ID).Add("gates", f.Gates).Add("state", f.State)
	if f.Side != nil {
		bag.Add("side", *f.Side)
	}
	out.WithProperties(bag)
	if location := locationOf(f); location != nil {
		out.AddLocation(location)
	}
	return out
}

// locationOf is nil where a Finding is about no file. A line of the file before the change is in no file that a reader has, so it
// is told in words.
func locationOf(f account.Finding) *sarif.Location {
	if f.Path == nil {
		return nil
	}
	uri, ok := relative(f.Path.Raw())
	if !ok {
		return nil
	}
	physical := sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewArtifactLocation().WithURI(uri).WithURIBaseID(root))
	location := sarif.NewLocation().WithPhysicalLocation(physical)
	switch {
	case f.Line == nil:
	case f.Side != nil && *f.Side == contract.Left:
		location.WithMessage(sarif.NewMessage().WithText(fmt.Sprintf("line %d of the file before the change", *f.Line)))
	default:
		start := *f.Line
		if f.StartLine != nil {
			start = *f.StartLine
		}
		physical.WithRegion(sarif.NewRegion().WithStartLine(start).WithEndLine(*f.Line))
	}
	return location
}

// relative writes a path of the repository as a relative URI. A path that leads anywhere else has none.
func relative(name string) (string, bool) {
	if name == "" || path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") {
		return "", false
	}
	segments := strings.Split(name, "/")
	for n, segment := range segments {
		segments[n] = strings.ReplaceAll(url.PathEscape(segment), ":", "%3A") // it would look like a scheme
	}
	return strings.Join(segments, "/"), true
}

// message is what a Finding says, as plain text.
func message(f account.Finding) string {
	var said []string
	for _, text := range []*untrusted.Text{f.Title, f.Text} {
		if text != nil {
			visible, _ := untrusted.Escape(text.Raw())
			said = append(said, literal.Replace(visible))
		}
	}
	if len(said) == 0 {
		return "Finding " + f.ID + " is open; its thread on the pull request says more."
	}
	return strings.Join(said, "\n\n")
}

// literal writes the characters that make a link or a placeholder in a message of SARIF such that they stand for themselves:
// SARIF 2.1.0, sections 3.11.5 and 3.11.6.
var literal = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}")

// invocation says whether the Run did its work, and each reason for how it ended.
func invocation(a account.Account) *sarif.Invocation {
	out := sarif.NewInvocation().WithExecutionSuccessful(a.Status != "" && a.Status != contract.StatusFailed)
	if at := a.Times.StartedAt; at != nil && !at.IsZero() {
		out.WithStartTimeUtc(at.String())
	}
	if at := a.Times.EndedAt; at != nil && !at.IsZero() {
		out.WithEndTimeUtc(at.String())
	}
	for _, reason := range a.Why {
		notice := sarif.NewNotification().WithLevel(sarif.LevelNote).
			WithMessage(sarif.NewMessage().WithText(literal.Replace(string(reason.Code) + ": " + reason.Sentence + " " + reason.Next)))
		out.AddToolExecutionNotification(notice)
	}
	return out
}

// tidy leaves out what a reader takes for granted: empty lists, and the numbers that stand for none. A run's list of results
// stays, since one without it was not looked at.
func tidy(data []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("write SARIF: %w", err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(prune(document)); err != nil {
		return nil, fmt.Errorf("write SARIF: %w", err)
	}
	return account.ShowHidden(out.Bytes()), nil
}

func prune(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			member = prune(member)
			list, isList := member.([]any)
			object, isObject := member.(map[string]any)
			number, isNumber := member.(json.Number)
			if isList && len(list) == 0 && name != "results" && name != "runs" || isObject && len(object) == 0 || isNumber && number == "-1" {
				delete(value, name)
				continue
			}
			value[name] = member
		}
	case []any:
		for n, member := range value {
			value[n] = prune(member)
		}
	}
	return value
}
