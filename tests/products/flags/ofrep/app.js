// A page that gets flags as the owner of a website would build it: OpenFeature's web SDK with its OFREP provider.
import { OpenFeature, ProviderEvents } from "@openfeature/web-sdk";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";

const { baseUrl, context, cacheMode } = JSON.parse(document.getElementById("options").textContent);
window.changed = [];
window.flags = OpenFeature;
OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, (event) => window.changed.push(event.flagsChanged));
window.ready = OpenFeature.setContext(context).then(() =>
  OpenFeature.setProviderAndWait(new OFREPWebProvider({ baseUrl, cacheMode })),
);
