// Says in the console what the tracker does, and why it does nothing.

const say = (...words) => console.info("[analytics]", ...words);

export default (core) => {
  const { settings, silent } = core;
  const why = () =>
    settings.disabled
      ? "data-disabled is set"
      : !settings.ignorePrivacySignals && (navigator.globalPrivacyControl || navigator.doNotTrack > 0)
        ? "the browser sends Do Not Track or Global Privacy Control"
        : !settings.ignoreBotDetection && navigator.webdriver
          ? "the browser is driven by software (data-ignore-bot-detection counts it)"
          : self.databuddyOptedOut
            ? "the visitor opted out"
            : "the visitor opted out, or this is a local page (data-track-localhost counts it)";

  say("options", { ...settings });
  if (silent()) say("nothing is counted: " + why());
  core.debug = (event, route) => {
    say("recorded", event.name ?? event.type ?? event.metricName ?? event.errorType ?? route, event);
    return true;
  };
  core.answered = (url, count, status) => {
    say(status ? `${status} for ${count} sent to ${url}` : `${count} not sent to ${url}: no connection`);
  };
};
