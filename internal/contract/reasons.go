package contract

import "slices"

// Code is a reason code of the closed, append-only list in this file.
type Code string

// The reason codes. A code is never removed or given another meaning; new ones go to the end of their stage.
const (
	CodeFactsIncomplete     Code = "facts_incomplete"
	CodeItemClosed          Code = "item_closed"
	CodeItemDraft           Code = "item_draft"
	CodeItemHeld            Code = "item_held"
	CodeItemLocked          Code = "item_locked"
	CodeFactoryPaused       Code = "factory_paused"
	CodeOwnEvent            Code = "own_event"
	CodeContentAbsent       Code = "content_absent"
	CodeContentNotText      Code = "content_not_text"
	CodeContentTooLarge     Code = "content_too_large"
	CodeAuthorNeedsApproval Code = "author_needs_approval"
	CodeIntentUnknown       Code = "intent_unknown"
	CodeEvalsMissing        Code = "evals_missing"
	CodeAlreadyRan          Code = "already_ran"
	CodeRunInFlight         Code = "run_in_flight"
	CodeBudgetItem          Code = "budget_item"
	CodeBudgetRepository    Code = "budget_repository"

	CodeUsage                Code = "usage"
	CodeEnvironmentMissing   Code = "environment_missing"
	CodeEnvironmentForbidden Code = "environment_forbidden"
	CodeCredentialMissing    Code = "credential_missing"
	CodeRecordInvalid        Code = "record_invalid"
	CodeConfigurationInvalid Code = "configuration_invalid"
	CodeBundleMismatch       Code = "bundle_mismatch"
	CodeDecisionNotAdmitting Code = "decision_not_admitting"
	CodeEventUnusable        Code = "event_unusable"
	CodeOutputFailed         Code = "output_failed"

	CodeArtifactMissing  Code = "artifact_missing"
	CodeArtifactExpired  Code = "artifact_expired"
	CodeArtifactDigest   Code = "artifact_digest"
	CodeArtifactTooLarge Code = "artifact_too_large"
	CodeArtifactShape    Code = "artifact_shape"
	CodeResultInvalid    Code = "result_invalid"

	CodeSupersededHeld     Code = "superseded_held"
	CodeSupersededPaused   Code = "superseded_paused"
	CodeSupersededClosed   Code = "superseded_closed"
	CodeSupersededDraft    Code = "superseded_draft"
	CodeSupersededChanged  Code = "superseded_changed"
	CodeSupersededReviewed Code = "superseded_reviewed"
	CodeNotAdmitted        Code = "not_admitted"

	CodeResultReplaced            Code = "result_replaced"
	CodeRunMismatch               Code = "run_mismatch"
	CodeReleaseMismatch           Code = "release_mismatch"
	CodeTaskMismatch              Code = "task_mismatch"
	CodeEffectNotPermitted        Code = "effect_not_permitted"
	CodeEffectDuplicate           Code = "effect_duplicate"
	CodeReviewCount               Code = "review_count"
	CodeFindingDuplicate          Code = "finding_duplicate"
	CodeFindingUnknown            Code = "finding_unknown"
	CodeFindingNotOwned           Code = "finding_not_owned"
	CodeFindingUnposted           Code = "finding_unposted"
	CodeFindingPostedTwice        Code = "finding_posted_twice"
	CodeFindingNotGatingOnThread  Code = "finding_not_gating_on_thread"
	CodeDispositionFindingUnknown Code = "disposition_finding_unknown"
	CodeDispositionDuplicate      Code = "disposition_duplicate"
	CodeDispositionNoHalf         Code = "disposition_no_half"
	CodeDispositionBothHalves     Code = "disposition_both_halves"
	CodeDispositionNotRole        Code = "disposition_not_role"
	CodeDispositionSecurity       Code = "disposition_security"
	CodeDispositionUnsupported    Code = "disposition_unsupported"
	CodeDispositionUnposted       Code = "disposition_unposted"
	CodeDispositionPostedTwice    Code = "disposition_posted_twice"
	CodeDispositionThread         Code = "disposition_thread"
	CodeReviewNotComment          Code = "review_not_comment"
	CodeReviewCommit              Code = "review_commit"
	CodeTextSecret                Code = "text_secret"
	CodeTextMarker                Code = "text_marker"
	CodeTextTooLong               Code = "text_too_long"
	CodePushProtected             Code = "push_protected"
	CodePushLensInput             Code = "push_lens_input"

	CodePlatformError    Code = "platform_error"
	CodePermissionDenied Code = "permission_denied"
	CodeRateLimited      Code = "rate_limited"
	CodeEffectUnknown    Code = "effect_unknown"
	CodeEffectRejected   Code = "effect_rejected"
	CodeReadbackMismatch Code = "readback_mismatch"
	CodeReviewPending    Code = "review_pending"
	CodeIdentityKey      Code = "identity_key"
	CodeIdentityRefused  Code = "identity_refused"
	CodeIdentityMismatch Code = "identity_mismatch"
	CodeIdentityCeiling  Code = "identity_ceiling"

	CodeIdentityRequest      Code = "identity_request"
	CodeIdentitySignature    Code = "identity_signature"
	CodeIdentityInstallation Code = "identity_installation"
	CodeIdentitySuspended    Code = "identity_suspended"
	CodeIdentityUnaccepted   Code = "identity_unaccepted"
	CodeIdentityRepository   Code = "identity_repository"
	CodeIdentityExcess       Code = "identity_excess"
	CodeIdentityShort        Code = "identity_short"
	CodeIdentityElsewhere    Code = "identity_elsewhere"
	CodeInterrupted          Code = "interrupted"

	CodeGatingFindingsOpen Code = "gating_findings_open"
	CodeFilesOmitted       Code = "files_omitted"
	CodeFilesOpaque        Code = "files_opaque"
	CodeSiblingUnreviewed  Code = "sibling_unreviewed"
	CodeContentReencoded   Code = "content_reencoded"
	CodeAlreadyOpen        Code = "already_open"
	CodeCarried            Code = "carried"
	CodeDuplicateSeen      Code = "duplicate_seen"
	CodeEditedSince        Code = "edited_since"

	CodeChangeTooLarge   Code = "change_too_large"
	CodeContextMissing   Code = "context_missing"
	CodeDeclinedUnsafe   Code = "declined_unsafe"
	CodeModelRefused     Code = "model_refused"
	CodeModelOutputLimit Code = "model_output_limit"

	CodeEngineMissing        Code = "engine_missing"
	CodeEngineVersion        Code = "engine_version"
	CodeEngineSandboxMissing Code = "engine_sandbox_missing"
	CodeEngineSchemaSize     Code = "engine_schema_size"
	CodeEngineTimeout        Code = "engine_timeout"
	CodeEngineOutputInvalid  Code = "engine_output_invalid"
	CodeEngineSchemaRefused  Code = "engine_schema_refused"
	CodeEngineArguments      Code = "engine_arguments"
	CodeEnginePrompt         Code = "engine_prompt"
	CodeEngineStart          Code = "engine_start"
	CodeEngineKilled         Code = "engine_killed"
	CodeEngineInterrupted    Code = "engine_interrupted"
	CodeEngineIdentity       Code = "engine_identity"
	CodeEngineAuth           Code = "engine_auth"
	CodeEngineQuota          Code = "engine_quota"
	CodeEngineRateLimited    Code = "engine_rate_limited"
	CodeEngineOverloaded     Code = "engine_overloaded"
	CodeEngineApiError       Code = "engine_api_error"
	CodeEngineTaskTooLong    Code = "engine_task_too_long"
	CodeEngineModelUnknown   Code = "engine_model_unknown"
	CodeEngineRequestRefused Code = "engine_request_refused"
	CodeEngineUnreachable    Code = "engine_unreachable"
	CodeEngineTurns          Code = "engine_turns"
	CodeEngineBudget         Code = "engine_budget"
	CodeEngineEgress         Code = "engine_egress"
	CodeEngineOther          Code = "engine_other"
	CodeResultMissing        Code = "result_missing"
	CodeResultSecret         Code = "result_secret"
	CodeEngineSandboxRefused Code = "engine_sandbox_refused"
)

// Stage is where a code is decided.
type Stage string

// The stages, in the order of the data's way.
const (
	// StageKernel: admission: what decide asks, in this order; the first that holds decides.
	StageKernel Stage = "kernel"
	// StageInput: what a program was started with or read.
	StageInput Stage = "input"
	// StageArtifact: the Result's way to apply.
	StageArtifact Stage = "artifact"
	// StageSuperseded: the Kernel asked again by apply.
	StageSuperseded Stage = "superseded"
	// StageRefusal: what apply refuses of a Result, in this order.
	StageRefusal Stage = "refusal"
	// StageEffect: writing, reading back and reporting.
	StageEffect Stage = "effect"
	// StageReport: notes of an Outcome that are not faults.
	StageReport Stage = "report"
	// StageModel: what the model answered instead of a review.
	StageModel Stage = "model"
	// StageEngine: failures of the model CLI, decided in this order.
	StageEngine Stage = "engine"
)

// Reason describes one code for a person.
type Reason struct {
	Code  Code
	Stage Stage
	// Fault is on whose side the reason lies, one of the Fault constants.
	Fault string
	// Sentence says what holds when the code is given; Example is one case; Next is what to do.
	Sentence, Example, Next string
}

// StageDoc says in one clause what a stage decides.
func StageDoc(stage Stage) string {
	switch stage {
	case StageKernel:
		return "admission: what decide asks, in this order; the first that holds decides"
	case StageInput:
		return "what a program was started with or read"
	case StageArtifact:
		return "the Result's way to apply"
	case StageSuperseded:
		return "the Kernel asked again by apply"
	case StageRefusal:
		return "what apply refuses of a Result, in this order"
	case StageEffect:
		return "writing, reading back and reporting"
	case StageReport:
		return "notes of an Outcome that are not faults"
	case StageModel:
		return "what the model answered instead of a review"
	case StageEngine:
		return "failures of the model CLI, decided in this order"
	}
	return ""
}

// ReasonOf returns the description of a code.
func ReasonOf(code Code) (Reason, bool) {
	reasons := Reasons()
	i := slices.IndexFunc(reasons, func(r Reason) bool { return r.Code == code })
	if i < 0 {
		return Reason{}, false
	}
	return reasons[i], true
}

// CodesOf returns the codes of a stage in their order.
func CodesOf(stage Stage) []Code {
	var codes []Code
	for _, r := range Reasons() {
		if r.Stage == stage {
			codes = append(codes, r.Code)
		}
	}
	return codes
}

// Reasons returns the whole list, ordered by stage and, where a stage decides in order, by that order.
func Reasons() []Reason {
	return []Reason{
		{CodeFactsIncomplete, StageKernel, FaultPlatform, "A part of the facts could not be read whole.", "the files API stopped at its 3000th file", "Run again; if it stays, the item is larger than GitHub serves."},
		{CodeItemClosed, StageKernel, FaultNone, "The pull request is closed.", "merged while the event was queued", "Reopen it to have it reviewed."},
		{CodeItemDraft, StageKernel, FaultItem, "The pull request is a draft.", "opened as a draft", "Mark it ready for review."},
		{CodeItemHeld, StageKernel, FaultItem, "The item is held by the hold label or a maintainer's /hold.", "label airlock:hold", "Remove the label, or have a maintainer comment /unhold."},
		{CodeItemLocked, StageKernel, FaultItem, "The conversation is locked, so nothing may be written to it.", "locked as too heated", "Unlock the conversation."},
		{CodeFactoryPaused, StageKernel, FaultItem, "The policy pauses every Run.", "policy paused: \"credential rotation\"", "Set paused to null in policy.json on the default branch."},
		{CodeOwnEvent, StageKernel, FaultNone, "The event was caused by our own App.", "our review raised an event", "Nothing: this keeps the App from answering itself."},
		{CodeContentAbsent, StageKernel, FaultItem, "The pull request has no diff.", "head equals base", "Push a change."},
		{CodeContentNotText, StageKernel, FaultItem, "The diff shows the content of no file that the policy leaves to the model.", "one changed image", "A person must review it."},
		{CodeContentTooLarge, StageKernel, FaultItem, "The diff is larger than the policy or GitHub allows.", "412 files, 300 allowed", "Split the change, or raise content in policy.json."},
		{CodeAuthorNeedsApproval, StageKernel, FaultItem, "The author is outside and no maintainer approved what was last pushed.", "first contribution of a fork", "A maintainer sets the approved label after reading the change."},
		{CodeIntentUnknown, StageKernel, FaultConfiguration, "The Role has no such Intent for this kind of item.", "intent review-chnage", "Correct the intent in the workflow, or the role's manifest."},
		{CodeEvalsMissing, StageKernel, FaultConfiguration, "The Intent is a gate and its eval set does not exist.", "evals/pr-review has no cases.json", "Add the eval set, or make the Intent advice."},
		{CodeAlreadyRan, StageKernel, FaultNone, "This content was reviewed already for this Intent.", "base merged into the branch, same diff", "Nothing: the check is carried to the new commit. A maintainer may ask again."},
		{CodeRunInFlight, StageKernel, FaultNone, "An earlier workflow run is working on this item as it stands.", "two events within one second", "Wait for it to end."},
		{CodeBudgetItem, StageKernel, FaultItem, "The item had as many Runs in 24 hours as the policy allows.", "8 of 8", "Wait, or raise budget.item_runs_per_day."},
		{CodeBudgetRepository, StageKernel, FaultItem, "The repository had as many Runs in 24 hours as the policy allows.", "200 of 200", "Wait, or raise budget.repository_runs_per_day."},
		{CodeUsage, StageInput, FaultConfiguration, "The program was called in a way it does not know.", "apply --plan without --facts", "See the program's help."},
		{CodeEnvironmentMissing, StageInput, FaultConfiguration, "A variable the program needs is not set.", "AIRLOCK_BUNDLE", "Set it as the action does."},
		{CodeEnvironmentForbidden, StageInput, FaultConfiguration, "The environment holds a variable that could redirect or widen the model process.", "ANTHROPIC_BASE_URL", "Remove the variable from the job."},
		{CodeCredentialMissing, StageInput, FaultConfiguration, "The credential is empty: its secret does not exist where the job looks.", "CLAUDE_CODE_OAUTH_TOKEN", "Add the secret to the environment that the job names."},
		{CodeRecordInvalid, StageInput, FaultConfiguration, "A record is not strict JSON of its schema, or of another version.", "decision.json: field run: a required field is missing", "Do not edit records; run again from decide."},
		{CodeConfigurationInvalid, StageInput, FaultConfiguration, "A configuration file, manifest or prompt is not valid.", "policy.json: field paused: an unknown field", "Correct the file on the default branch."},
		{CodeBundleMismatch, StageInput, FaultConfiguration, "A file of the bundle is not the one that the Decision names.", "diff.patch has another digest", "Run again from decide."},
		{CodeDecisionNotAdmitting, StageInput, FaultConfiguration, "The program was started without a Decision that admits.", "admitted: false", "Start run only where decide's output admitted is true."},
		{CodeEventUnusable, StageInput, FaultConfiguration, "The event names no item that this Intent works on.", "workflow_dispatch without a number", "Give the number of a pull request."},
		{CodeOutputFailed, StageInput, FaultPlatform, "A file or output could not be written.", "disk full", "Run again."},
		{CodeArtifactMissing, StageArtifact, FaultEngine, "A Result was due and there is none.", "the run job was cancelled", "Look at the run job, then run again."},
		{CodeArtifactExpired, StageArtifact, FaultEngine, "The artifact has expired.", "re-run after the retention days", "Run again from decide."},
		{CodeArtifactDigest, StageArtifact, FaultEngine, "The bytes of the artifact are not those that were handed on.", "the zip's digest differs", "Run again; if it stays, treat the job as tampered with."},
		{CodeArtifactTooLarge, StageArtifact, FaultEngine, "The artifact or its file is larger than the limit.", "4 MB allowed", "Run again."},
		{CodeArtifactShape, StageArtifact, FaultEngine, "The artifact is not one regular file of the expected name.", "two entries in the zip", "Run again; if it stays, treat the job as tampered with."},
		{CodeResultInvalid, StageArtifact, FaultEngine, "The answer or the Result is not valid against result/1.", "effects[0].type", "Run again; the model's answer cannot be repaired."},
		{CodeSupersededHeld, StageSuperseded, FaultSuperseded, "The item was held after it was admitted.", "/hold while the model worked", "Lift the hold and run again."},
		{CodeSupersededPaused, StageSuperseded, FaultSuperseded, "The policy was paused after the item was admitted.", "paused by a maintainer", "Set paused to null and run again."},
		{CodeSupersededClosed, StageSuperseded, FaultSuperseded, "The item was closed after it was admitted.", "merged while the model worked", "Nothing."},
		{CodeSupersededDraft, StageSuperseded, FaultSuperseded, "The item was made a draft after it was admitted.", "converted to draft", "Mark it ready for review."},
		{CodeSupersededChanged, StageSuperseded, FaultSuperseded, "Head, base or content changed after the item was admitted.", "a push while the model worked", "Nothing: the new content has its own Run."},
		{CodeSupersededReviewed, StageSuperseded, FaultSuperseded, "A newer Run already reviewed this content.", "two Runs side by side", "Nothing."},
		{CodeNotAdmitted, StageSuperseded, FaultItem, "The Kernel would not admit the item now.", "the approved label was removed", "See the Kernel's own code beside this one."},
		{CodeResultReplaced, StageRefusal, FaultItem, "Another Result was already applied for this Run.", "run was re-run alone after apply", "Run again from decide."},
		{CodeRunMismatch, StageRefusal, FaultItem, "The Result is of another Run.", "a Result of another item", "Run again from decide."},
		{CodeReleaseMismatch, StageRefusal, FaultItem, "The Result was made by another Release.", "the three pins differ", "Pin the three actions to one commit."},
		{CodeTaskMismatch, StageRefusal, FaultItem, "The Result answers another Task than the bundle's.", "the task digest differs", "Run again from decide."},
		{CodeEffectNotPermitted, StageRefusal, FaultItem, "An Effect's type is not permitted to this Intent.", "resolve_thread by pr-review", "Run again, or permit it in the manifest."},
		{CodeEffectDuplicate, StageRefusal, FaultItem, "An Effect id is named twice.", "two effects e1", "Run again."},
		{CodeReviewCount, StageRefusal, FaultItem, "There is not exactly one review with something in it.", "no submit_review", "Run again."},
		{CodeFindingDuplicate, StageRefusal, FaultItem, "A Finding id is named twice.", "two findings f1", "Run again."},
		{CodeFindingUnknown, StageRefusal, FaultItem, "An Effect names a Finding that the Result does not hold.", "threads: f9", "Run again."},
		{CodeFindingNotOwned, StageRefusal, FaultItem, "A Finding is of a category that the Role does not own.", "category licensing", "Run again, or give the Role the category."},
		{CodeFindingUnposted, StageRefusal, FaultItem, "A Finding is posted by no Effect.", "f3 in no list", "Run again."},
		{CodeFindingPostedTwice, StageRefusal, FaultItem, "A Finding is posted more than once.", "f1 in threads and listed", "Run again."},
		{CodeFindingNotGatingOnThread, StageRefusal, FaultItem, "A Finding that does not gate is asked for as a thread.", "a minor finding in threads", "Run again."},
		{CodeDispositionFindingUnknown, StageRefusal, FaultItem, "A Disposition answers a Finding that the Task does not hold.", "a finding of another item", "Run again."},
		{CodeDispositionDuplicate, StageRefusal, FaultItem, "A Finding is answered twice.", "two dispositions of one finding", "Run again."},
		{CodeDispositionNoHalf, StageRefusal, FaultItem, "A Disposition has neither half.", "author and reviewer null", "Run again."},
		{CodeDispositionBothHalves, StageRefusal, FaultItem, "A Disposition has both halves.", "author and reviewer set", "Run again."},
		{CodeDispositionNotRole, StageRefusal, FaultItem, "A Disposition has the half that its Role may not make.", "an author half by a reviewer", "Run again."},
		{CodeDispositionSecurity, StageRefusal, FaultItem, "A security Finding is accepted without being fixed.", "accepted, of declined", "A maintainer must resolve the thread."},
		{CodeDispositionUnsupported, StageRefusal, FaultItem, "An acceptance rests on evidence that does not support it.", "fixed, on the author's word", "Run again."},
		{CodeDispositionUnposted, StageRefusal, FaultItem, "A Disposition is posted by no Effect.", "no reply and not in answers", "Run again."},
		{CodeDispositionPostedTwice, StageRefusal, FaultItem, "A Disposition is posted more than once.", "a reply and in answers", "Run again."},
		{CodeDispositionThread, StageRefusal, FaultItem, "A reply or resolve is for a thread that is not ours, or a Finding without one.", "a reply to a finding in the body", "Run again."},
		{CodeReviewNotComment, StageRefusal, FaultItem, "The review would be something else than a comment.", "event APPROVE", "Nothing: an approval is never written."},
		{CodeReviewCommit, StageRefusal, FaultItem, "The review would not be on the admitted commit.", "another commit in the request", "Nothing: this is a fault of the program; report it."},
		{CodeTextSecret, StageRefusal, FaultItem, "A text holds the shape of a credential that the diff does not hold.", "a token in a finding", "Look for the leak; rotate what leaked."},
		{CodeTextMarker, StageRefusal, FaultItem, "A text holds a marker of ours.", "a copied comment", "Run again."},
		{CodeTextTooLong, StageRefusal, FaultItem, "A text is over GitHub's limit after rendering.", "a body of 70000 characters", "Run again."},
		{CodePushProtected, StageRefusal, FaultItem, "Reserved: an Effect would push to a protected path.", "none can push", "Nothing."},
		{CodePushLensInput, StageRefusal, FaultItem, "Reserved: an Effect would push to an input of a Lens.", "none can push", "Nothing."},
		{CodePlatformError, StageEffect, FaultPlatform, "GitHub answered with an error, or not at all.", "502", "Run apply again; it goes on from what was written."},
		{CodePermissionDenied, StageEffect, FaultPlatform, "GitHub refused the token's permissions.", "Resource not accessible by integration", "Accept the App's permissions, then run apply again."},
		{CodeRateLimited, StageEffect, FaultPlatform, "GitHub's rate limit was reached.", "secondary limit", "Wait, then run apply again."},
		{CodeEffectUnknown, StageEffect, FaultPlatform, "It is not known whether an Effect was written.", "the reply was lost and the key is not found", "Run apply again; it looks before it writes."},
		{CodeEffectRejected, StageEffect, FaultPlatform, "GitHub rejected the request of an Effect as invalid.", "422 Line could not be resolved", "Run again; if it stays, report it."},
		{CodeReadbackMismatch, StageEffect, FaultPlatform, "What was read back is not what was written.", "another body", "Look at the item; run apply again."},
		{CodeReviewPending, StageEffect, FaultPlatform, "A pending review of our App is in the way.", "left by an earlier process", "Delete the pending review, then run apply again."},
		{CodeIdentityKey, StageEffect, FaultConfiguration, "The App's private key cannot be used.", "not a PEM block", "Store the key that GitHub generated, whole."},
		{CodeIdentityRefused, StageEffect, FaultConfiguration, "GitHub refused to mint the token for a reason that has no code of its own.", "a 422 of another form", "Read GitHub's sentence in the job's log."},
		{CodeIdentityMismatch, StageEffect, FaultPlatform, "The token does not end within the hour, as GitHub's tokens do.", "it ends in three hours", "Nothing was written; the token was revoked. Run again."},
		{CodeIdentityCeiling, StageEffect, FaultConfiguration, "An Effect needs more than the App's ceiling allows.", "resolve_thread without contents: write", "Raise the ceiling in apps.json, or forbid the Effect."},
		{CodeIdentityRequest, StageEffect, FaultConfiguration, "The token would be asked for without a permission, with one that nothing here needs, or for no repository, so it was not asked for.", "pull-requests for pull_requests", "Correct needs in apps.json; nothing was asked of GitHub."},
		{CodeIdentitySignature, StageEffect, FaultConfiguration, "GitHub does not accept the App's signature, by its own clock either.", "the key of another App", "Compare app_id in apps.json with the App of the stored key, or store a new key."},
		{CodeIdentityInstallation, StageEffect, FaultConfiguration, "GitHub knows no such App or installation.", "the App was uninstalled", "Install the App, and correct app_id and installation_id in apps.json."},
		{CodeIdentitySuspended, StageEffect, FaultConfiguration, "The installation is suspended.", "suspended by an owner", "Lift the suspension on the installation's page."},
		{CodeIdentityUnaccepted, StageEffect, FaultConfiguration, "The installation has not accepted a permission that is needed.", "contents: write was added to the App later", "Accept the App's permissions on the installation's page."},
		{CodeIdentityRepository, StageEffect, FaultConfiguration, "The installation does not reach this repository.", "it is not among the selected repositories", "Add the repository on the installation's page."},
		{CodeIdentityExcess, StageEffect, FaultPlatform, "The token holds more than was asked for.", "contents: write granted", "Nothing was written; the token was revoked. If it stays, report it to GitHub."},
		{CodeIdentityShort, StageEffect, FaultPlatform, "The token holds less than was asked for.", "pull_requests: read granted", "Nothing was written; the token was revoked. Compare the App's permissions, then run again."},
		{CodeIdentityElsewhere, StageEffect, FaultPlatform, "The token is not for exactly the one repository.", "all repositories of the installation", "Nothing was written; the token was revoked. If it stays, report it to GitHub."},
		{CodeInterrupted, StageEffect, FaultPlatform, "The program was told to stop before it was done.", "SIGINT: the job was cancelled", "Run apply again; it goes on from what was written."},
		{CodeGatingFindingsOpen, StageReport, FaultNone, "Findings that gate are open.", "one critical finding", "Fix them, or have a maintainer resolve their threads."},
		{CodeFilesOmitted, StageReport, FaultItem, "Files were left out over the budget.", "2 files, 48211 characters", "A person must review them, or split the change."},
		{CodeFilesOpaque, StageReport, FaultItem, "The diff does not show the content of some files.", "one changed image", "A person must review them."},
		{CodeSiblingUnreviewed, StageReport, FaultItem, "Another open pull request with this head commit has no green review of its own.", "one branch, two bases", "Have the other reviewed too, or close it."},
		{CodeContentReencoded, StageReport, FaultNone, "The diff's bytes differ, its files do not.", "longer abbreviated ids", "Nothing."},
		{CodeAlreadyOpen, StageReport, FaultNone, "A Finding was open already and was not posted again.", "same line, same category", "Nothing."},
		{CodeCarried, StageReport, FaultNone, "The check is carried from an earlier Run of the same content.", "a merge of the base", "Nothing."},
		{CodeDuplicateSeen, StageReport, FaultNone, "An Effect of this Run stands more than once on the item.", "two applies at once, without the workflow's concurrency", "Give apply its concurrency back. Both copies count as one; a maintainer who resolves the thread resolves both."},
		{CodeEditedSince, StageReport, FaultItem, "A text of our App was altered, lost its marker or was deleted since it was written, by somebody who is no maintainer.", "a writer removed the marker of a finding", "A maintainer looks at the item: resolves what is settled, restores what is not by an edit of his own, or asks again."},
		{CodeChangeTooLarge, StageModel, FaultItem, "The model says the change is too large for it.", "status incomplete", "Split the change."},
		{CodeContextMissing, StageModel, FaultItem, "The model says it was not shown what it needs.", "status incomplete", "A person must review it."},
		{CodeDeclinedUnsafe, StageModel, FaultItem, "The model declined to work on this change.", "status refused", "A person must review it."},
		{CodeModelRefused, StageModel, FaultItem, "The model's vendor stopped the answer.", "stop reason refusal", "A person must review it."},
		{CodeModelOutputLimit, StageModel, FaultEngine, "The answer was longer than the model may write.", "max_output_tokens", "Split the change."},
		{CodeEngineMissing, StageEngine, FaultConfiguration, "The CLI is not there.", "no file at the pinned path", "Install the pinned CLI before the credential."},
		{CodeEngineVersion, StageEngine, FaultConfiguration, "The CLI is not the pinned one.", "2.1.332, 2.1.306 pinned", "Install the pinned version, or move the pin."},
		{CodeEngineSandboxMissing, StageEngine, FaultConfiguration, "bubblewrap is not on PATH.", "ubuntu-24.04 without bubblewrap", "Install bubblewrap before the credential."},
		{CodeEngineSchemaSize, StageEngine, FaultConfiguration, "The schema is too large for the command line.", "131072 bytes", "Lower the limits of the Intent."},
		{CodeEngineTimeout, StageEngine, FaultEngine, "The CLI did not end in time.", "600 seconds", "Run again."},
		{CodeEngineOutputInvalid, StageEngine, FaultEngine, "The CLI's output is not one JSON object of the known form.", "two objects", "Run again."},
		{CodeEngineSchemaRefused, StageEngine, FaultConfiguration, "The CLI refused the schema.", "an unknown keyword", "Report it: the lowering is wrong for this version."},
		{CodeEngineArguments, StageEngine, FaultConfiguration, "The CLI refused its arguments.", "an unknown option", "Report it: the arguments are wrong for this version."},
		{CodeEnginePrompt, StageEngine, FaultEngine, "The CLI did not take the prompt.", "over 10 MB", "Lower the text budgets."},
		{CodeEngineStart, StageEngine, FaultEngine, "The CLI failed before it asked the model.", "exit 1, no output", "Run again."},
		{CodeEngineKilled, StageEngine, FaultEngine, "The CLI was killed.", "exit 143", "Run again."},
		{CodeEngineInterrupted, StageEngine, FaultEngine, "The CLI was interrupted.", "SIGINT", "Run again."},
		{CodeEngineIdentity, StageEngine, FaultEngine, "The session or the model is not the one that was asked for.", "another model id", "Run again; if it stays, report it."},
		{CodeEngineAuth, StageEngine, FaultConfiguration, "The model's API refused the credential.", "401", "Renew the model credential."},
		{CodeEngineQuota, StageEngine, FaultEngine, "The subscription's limit is reached.", "five hour window", "Run again after the window."},
		{CodeEngineRateLimited, StageEngine, FaultEngine, "The model's API limits the rate.", "429", "Run again later."},
		{CodeEngineOverloaded, StageEngine, FaultEngine, "The model's API is overloaded.", "529", "Run again later."},
		{CodeEngineApiError, StageEngine, FaultEngine, "The model's API failed.", "500", "Run again later."},
		{CodeEngineTaskTooLong, StageEngine, FaultEngine, "The Task is longer than the model reads.", "prompt is too long", "Lower the text budgets, or split the change."},
		{CodeEngineModelUnknown, StageEngine, FaultConfiguration, "The API does not know the model.", "404", "Correct the model in harness.json."},
		{CodeEngineRequestRefused, StageEngine, FaultConfiguration, "The API refused the request.", "400", "Look at the account's state, then run again."},
		{CodeEngineUnreachable, StageEngine, FaultEngine, "The model's API could not be reached.", "connection refused", "Run again later."},
		{CodeEngineTurns, StageEngine, FaultEngine, "The CLI used all its turns.", "8 turns", "Run again."},
		{CodeEngineBudget, StageEngine, FaultEngine, "The Run would cost more than its budget.", "2 dollars", "Raise the Intent's limit, or split the change."},
		{CodeEngineEgress, StageEngine, FaultEngine, "The CLI asked for something that the broker does not forward.", "another path", "Report it."},
		{CodeEngineOther, StageEngine, FaultEngine, "The CLI failed in a way that is not known.", "exit 1", "Run again; if it stays, report it."},
		{CodeResultMissing, StageEngine, FaultEngine, "The CLI ended well without an answer of the schema.", "prose only", "Run again."},
		{CodeResultSecret, StageEngine, FaultEngine, "The answer holds the model credential or a transform of it.", "base64 of the token", "Look for the injection in the change; rotate the credential."},
		{CodeEngineSandboxRefused, StageEngine, FaultConfiguration, "The system does not let bubblewrap make a sandbox.", "Ubuntu 24.04 without an AppArmor profile for bwrap", "Run the command that the log of the run job names; docs/sandbox.md says what each of them does."},
	}
}
