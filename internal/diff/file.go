package diff

// Status is what happened to a file, in the words of GitHub's files API.
type Status string

// The statuses a diff can show.
const (
	Added    Status = "added"
	Removed  Status = "removed"
	Modified Status = "modified"
	Renamed  Status = "renamed"
	Copied   Status = "copied"
	Changed  Status = "changed" // its mode alone
)

// File is one entry of a diff. A path may come twice: git shows a file that
// becomes a symbolic link as a removal and an addition.
type File struct {
	// OldPath and NewPath are the unquoted names without `a/` and `b/`, any bytes.
	// OldPath is empty for an added file, NewPath for a removed one.
	OldPath, NewPath string
	Status           Status
	// OldMode and NewMode are git's octal modes, empty where the diff says none.
	OldMode, NewMode string
	// Binary: the diff shows no lines of it (`Binary files … differ`, or a git
	// binary patch).
	Binary bool
	// ModeOnly: nothing but its mode changed.
	ModeOnly bool
	// Submodule: one side is a commit of another repository, not a blob.
	Submodule bool
	// Malformed: a header that could not be read, a hunk that does not hold what
	// it counts, or text outside every hunk. Such a hunk has no commentable lines.
	Malformed bool
	// Hunks is how many hunk headers there are.
	Hunks int
	// Bytes is the length of the entry, headers included. The sum over all files
	// is the length of the diff.
	Bytes int64
	// Characters is its length in Unicode code points; a byte that is not UTF-8
	// counts as one.
	Characters int64
	// Raw is the entry itself, header lines and last newline included. It is nil
	// where the entry has more characters than the caller asked to keep. It is
	// valid until the next call of Scanner.Next.
	Raw []byte
}

// Path is the name the file goes by on GitHub: the new one, or the old one of a
// removed file. Empty where the header could not be read.
func (f File) Path() string {
	if f.NewPath != "" {
		return f.NewPath
	}
	return f.OldPath
}

const submoduleMode = "160000"

// settle decides what follows from the headers once all are read.
func (f *File) settle() {
	if f.Path() == "" {
		f.Malformed = true
	}
	f.Submodule = f.OldMode == submoduleMode || f.NewMode == submoduleMode
	switch f.Status {
	case Added:
		f.OldPath = ""
	case Removed:
		f.NewPath = ""
	case "":
		f.Status = Modified
		if f.OldMode != f.NewMode && f.Hunks == 0 && !f.Binary && !f.Malformed {
			f.Status, f.ModeOnly = Changed, true
		}
	}
}
