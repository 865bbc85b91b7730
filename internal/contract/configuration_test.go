package contract

import "testing"

// TestBeyond holds that write includes read, that read does not include write, and that no other word is within anything.
func TestBeyond(t *testing.T) {
	for _, c := range []struct {
		need, ceiling string
		beyond        bool
	}{
		{"read", "write", false}, {"read", "read", false}, {"write", "write", false}, {"write", "read", true}, {"read", "", true},
		{"admin", "admin", true}, {"", "write", true}, {"", "", true}, {"admin", "write", true},
	} {
		permission, beyond := Beyond(map[string]string{"contents": c.need}, map[string]string{"contents": c.ceiling})
		if beyond != c.beyond || beyond && permission != "contents: "+c.need {
			t.Errorf("need %q, ceiling %q: %q, %t", c.need, c.ceiling, permission, beyond)
		}
	}
	need := map[string]string{"pull_requests": "write", "contents": "write", "checks": "write"}
	if permission, _ := Beyond(need, map[string]string{"checks": "write"}); permission != "contents: write" {
		t.Errorf("of two the first is %s", permission)
	}
	if _, beyond := Beyond(nil, nil); beyond {
		t.Error("nothing is beyond nothing")
	}
}
