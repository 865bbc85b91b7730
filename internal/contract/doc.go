// Package contract holds every record that passes between airlock's programs: its Go type, strict decoding, canonical
// bytes and digest, the ids made from records, and the closed list of reason codes.
//
// The package promises that [Decode] and [Canonical] are inverse on canonical documents, byte for byte, and that nothing
// but what a type declares gets in. Patterns, lengths and closed sets of strings are held by the JSON Schemas (package
// schema). Untrusted text is of type untrusted.Text; where the rules of the data model call a name (login, ref, path)
// untrusted, so does the type. It imports the standard library and package untrusted only.
package contract
