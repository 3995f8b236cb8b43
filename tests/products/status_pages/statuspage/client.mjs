// Asks a status page as npm's statuspage.io does; only its host is another one. Prints what it got as JSON.
import { createRequire } from "node:module";

const { Statuspage } = createRequire(process.argv[2])("statuspage.io");
const client = new Statuspage("box");
client.apiClient.defaults.baseURL = process.argv[3];

const { api } = client;
const found = {
  summary: await api.getSummary(),
  status: await api.getStatus(),
  components: await api.getComponents(),
  incidents: await api.incidents.getAll(),
  unresolved: await api.incidents.getUnresolved(),
  maintenances: await api.scheduledMaintenances.getAll(),
  upcoming: await api.scheduledMaintenances.getUpcoming(),
  active: await api.scheduledMaintenances.getActive(),
};
console.log(JSON.stringify(found));
