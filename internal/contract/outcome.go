package contract

// Outcome is outcome/1: how the Run ended.
type Outcome struct {
	Schema     string       `json:"schema"`
	Run        string       `json:"run"`
	Release    Release      `json:"release"`
	Attempt    int          `json:"attempt"`
	Status     string       `json:"status"`
	Fault      string       `json:"fault"`
	Reasons    []Code       `json:"reasons"`
	GatingOpen []string     `json:"gating_open"`
	Conclusion *string      `json:"conclusion"`
	Check      *CheckRecord `json:"check"`
	Effects    EffectCounts `json:"effects"`
	Omitted    []Omitted    `json:"omitted"`
	Usage      *Usage       `json:"usage"`
	Times      OutcomeTimes `json:"times"`
}

// Further statuses of an [Outcome], beside the Result's.
const (
	StatusSuperseded  = "superseded"
	StatusNotAdmitted = "not_admitted"
)

// Faults of an [Outcome]: on whose side the reason lies.
const (
	FaultNone          = "none"
	FaultItem          = "item"
	FaultSuperseded    = "superseded"
	FaultEngine        = "engine"
	FaultConfiguration = "configuration"
	FaultPlatform      = "platform"
)

// Conclusions of a check. A gate never uses neutral, which satisfies a required check on GitHub.
const (
	ConclusionSuccess        = "success"
	ConclusionFailure        = "failure"
	ConclusionActionRequired = "action_required"
	ConclusionNeutral        = "neutral"
)

// CheckRecord is the check as read back.
type CheckRecord struct {
	AuthorAppID int64  `json:"author_app_id"`
	Commit      string `json:"commit"`
	Conclusion  string `json:"conclusion"`
	DatabaseID  int64  `json:"database_id"`
	Name        string `json:"name"`
}

// EffectCounts counts Effects by state.
type EffectCounts struct {
	AlreadyApplied int `json:"already_applied"`
	Applied        int `json:"applied"`
	Failed         int `json:"failed"`
	NotAttempted   int `json:"not_attempted"`
	Refused        int `json:"refused"`
}

// OutcomeTimes are when the Run was decided and when apply ended.
type OutcomeTimes struct {
	AppliedAt Time `json:"applied_at"`
	DecidedAt Time `json:"decided_at"`
}
