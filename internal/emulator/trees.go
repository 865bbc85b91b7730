package emulator

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Modes of a tree entry, as git writes them.
const (
	modeFile       = "100644"
	modeExecutable = "100755"
	modeSymlink    = "120000"
	modeSubmodule  = "160000"
)

// Tree is the files of a commit by path. Directories are implied.
type Tree map[string]File

// File is one entry of a tree. Its JSON form is the text itself, or an object with text or base64, and mode.
type File struct {
	// Content is the bytes; the target of a symbolic link; the commit of a submodule as 40 hexadecimal digits.
	Content []byte
	// Mode is 100644 (also when empty), 100755, 120000 or 160000.
	Mode string
}

type fileDocument struct {
	Text   *string `json:"text,omitempty"`
	Base64 *string `json:"base64,omitempty"`
	Mode   string  `json:"mode,omitempty"`
}

// UnmarshalJSON reads a string, or an object with exactly one of text and base64.
func (file *File) UnmarshalJSON(document []byte) error {
	var text string
	if json.Unmarshal(document, &text) == nil {
		*file = File{Content: []byte(text), Mode: modeFile}
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.DisallowUnknownFields()
	var object fileDocument
	if err := decoder.Decode(&object); err != nil {
		return fmt.Errorf("file: %w", err)
	}
	switch {
	case object.Text != nil && object.Base64 == nil:
		file.Content = []byte(*object.Text)
	case object.Base64 != nil && object.Text == nil:
		content, err := base64.StdEncoding.DecodeString(*object.Base64)
		if err != nil {
			return fmt.Errorf("file: base64: %w", err)
		}
		file.Content = content
	default:
		return fmt.Errorf("file: needs exactly one of text and base64")
	}
	file.Mode = object.Mode
	if file.Mode == "" {
		file.Mode = modeFile
	}
	if !slices.Contains([]string{modeFile, modeExecutable, modeSymlink, modeSubmodule}, file.Mode) {
		return fmt.Errorf("file: mode %q is none of git's", file.Mode)
	}
	return nil
}

// MarshalJSON writes the short form for a plain text file.
func (file File) MarshalJSON() ([]byte, error) {
	text := string(file.Content)
	if file.isText() {
		if file.mode() == modeFile {
			return json.Marshal(text)
		}
		return json.Marshal(fileDocument{Text: &text, Mode: file.Mode})
	}
	encoded := base64.StdEncoding.EncodeToString(file.Content)
	return json.Marshal(fileDocument{Base64: &encoded, Mode: file.Mode})
}

func (file File) mode() string {
	if file.Mode == "" {
		return modeFile
	}
	return file.Mode
}

// isText says whether the bytes survive being a JSON string.
func (file File) isText() bool {
	return strings.ToValidUTF8(string(file.Content), "") == string(file.Content)
}

// isBinary is git's rule: a NUL among the first 8000 bytes.
func (file File) isBinary() bool {
	head := file.Content
	if len(head) > 8000 {
		head = head[:8000]
	}
	return file.mode() != modeSubmodule && bytes.IndexByte(head, 0) >= 0
}

// blobID is git's object id of the content; for a submodule the commit it points to.
func (file File) blobID() string {
	if file.mode() == modeSubmodule {
		return string(file.Content)
	}
	return objectID("blob", file.Content)
}

// diffText is what git compares line by line.
func (file File) diffText() []byte {
	if file.mode() == modeSubmodule {
		return []byte("Subproject commit " + string(file.Content) + "\n")
	}
	return file.Content
}

func objectID(kind string, content []byte) string {
	hash := sha1.New() // git's object ids are SHA-1
	hash.Write([]byte(kind + " " + strconv.Itoa(len(content)) + "\x00"))
	hash.Write(content)
	return hex.EncodeToString(hash.Sum(nil))
}

// paths returns the paths of the tree in byte order, which is git's order of a diff.
func (tree Tree) paths() []string {
	paths := make([]string, 0, len(tree))
	for path := range tree {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths
}

// id is git's object id of the tree.
func (tree Tree) id() string {
	type entry struct{ key, mode, name, id string }
	var entries []entry
	directories := map[string]Tree{}
	for path, file := range tree {
		directory, rest, nested := strings.Cut(path, "/")
		if !nested {
			entries = append(entries, entry{path, file.mode(), path, file.blobID()})
			continue
		}
		if directories[directory] == nil {
			directories[directory] = Tree{}
		}
		directories[directory][rest] = file
	}
	for name, directory := range directories {
		entries = append(entries, entry{name + "/", "40000", name, directory.id()})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].key < entries[j].key })
	var content bytes.Buffer
	for _, entry := range entries {
		raw, err := hex.DecodeString(entry.id)
		if err != nil { // a submodule whose content is not a commit id
			raw = make([]byte, sha1.Size)
		}
		content.WriteString(entry.mode + " " + entry.name + "\x00")
		content.Write(raw)
	}
	return objectID("tree", content.Bytes())
}

// commitID makes a commit's id from what it says, so that equal seeds have equal ids.
func commitID(tree Tree, parent, message string) string {
	return objectID("commit", []byte("tree "+tree.id()+"\nparent "+parent+"\n\n"+message+"\n"))
}
