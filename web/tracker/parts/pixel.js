// Events as addresses of a picture, for pages that may not send requests by script.

const TYPES = { "/batch": "track", "/vitals": "web_vitals", "/errors": "error" };

export default (core) => {
  core.pixel = (route, event) => {
    if (!TYPES[route]) return false; // The picture knows no such thing: it goes as a request.
    const query = new URLSearchParams({ client_id: core.settings.clientId, type: event.type ?? TYPES[route] });
    for (const name in event) {
      const value = event[name];
      if (value != null) query.set(name, name == "properties" ? JSON.stringify(value) : value);
    }
    new Image().src = (core.settings.apiUrl ?? core.origin) + "/px.jpg?" + query;
    return true;
  };
};
