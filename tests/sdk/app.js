// A page that uses the React component of npm's @databuddy/sdk, as an owner of a website would. Its options stand in the
// page; the package's functions are put on the window, so that tests can call them.
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import * as sdk from "@databuddy/sdk/react";

window.sdk = sdk;
const root = createRoot(document.getElementById("root"));
window.show = (options) => root.render(createElement(sdk.Databuddy, options));
window.show(JSON.parse(document.getElementById("options").textContent));
sdk.track("before the script", { early: true });
