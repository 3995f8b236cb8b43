// Pages without an account look as the last one chose in this browser. Not deferred, so that nothing flashes.
const chosen = /(?:^|; )theme=(light|dark)(?:;|$)/.exec(document.cookie);
if (chosen) document.documentElement.dataset.theme = chosen[1];
