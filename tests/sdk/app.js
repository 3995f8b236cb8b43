// A page that uses the React components of npm's @databuddy/sdk, as an owner of a website would. Its options stand in the
// page; the package's functions are put on the window, so that tests can call them.
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import * as sdk from "@databuddy/sdk/react";

window.sdk = sdk;
const root = createRoot(document.getElementById("root"));
window.show = (options) => root.render(createElement(sdk.Databuddy, options));
window.show(JSON.parse(document.getElementById("options").textContent));
sdk.track("before the script", { early: true });

function Flagged() {
  const flags = sdk.useFlags();
  window.flags = flags;
  const shown = {
    checkout: sdk.useFlag("checkout"),
    button: sdk.useFlag("button"),
    half: flags.isOn("half"),
    limit: flags.getValue("limit", 1),
  };
  return createElement("p", { id: "flags" }, JSON.stringify(shown));
}
window.showFlags = (options, config) =>
  root.render([
    createElement(sdk.Databuddy, { ...options, key: "tracker" }),
    createElement(sdk.FlagsProvider, { ...config, key: "flags" }, createElement(Flagged)),
  ]);
