package trust

import (
	"math"
	"testing"

	"github.com/seed-2ea642bd/airlock/internal/contract"
)

func TestOf(t *testing.T) {
	policy := contract.Policy{Maintainers: []int64{1000001, 226755743, 190000002, 0, -1}, Advisory: []int64{3000003, 1000001, 190000001, 0}}
	apps := contract.Apps{Apps: []contract.App{{AppID: 900001, InstallationID: 80000001, BotUserID: 190000001}, {BotUserID: 190000002}, {BotUserID: 0}}}
	for name, test := range map[string]struct {
		id   int64
		want contract.Trust
	}{
		"a maintainer":                           {226755743, contract.TrustMaintainer},
		"maintainer before advisory":             {1000001, contract.TrustMaintainer},
		"an advisor":                             {3000003, contract.TrustAdvisory},
		"our App before advisory":                {190000001, contract.TrustRole},
		"our App before maintainer":              {190000002, contract.TrustRole},
		"anybody":                                {2000002, contract.TrustOutside},
		"a maintainer's id within another (A13)": {12267557439, contract.TrustOutside},
		"a maintainer's id cut short":            {22675574, contract.TrustOutside},
		"an App's id is no user's":               {900001, contract.TrustOutside},
		"an installation's id is no user's":      {80000001, contract.TrustOutside},
		"a deleted account, though listed":       {0, contract.TrustOutside},
		"negative, though listed":                {-1, contract.TrustOutside},
		"smallest":                               {math.MinInt64, contract.TrustOutside},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Of(test.id, policy, apps); got != test.want {
				t.Errorf("Of(%d) is %s, want %s", test.id, got, test.want)
			}
		})
	}
	if IsApp(0, apps) || IsApp(900001, apps) || !IsApp(190000002, apps) {
		t.Error("IsApp goes by something else than the bot user")
	}
	if got := Of(1, contract.Policy{}, contract.Apps{}); got != contract.TrustOutside {
		t.Errorf("with nothing configured, Of(1) is %s", got)
	}
}
