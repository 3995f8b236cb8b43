-- wrk: POST one event, or PER_REQUEST in an array, each with its own body.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "*/*"
wrk.headers["User-Agent"] =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"
local key = os.getenv("LOAD_KEY")
if key then wrk.headers["X-Api-Key"] = key end
local site, per_request = os.getenv("LOAD_SITE"), tonumber(os.getenv("LOAD_PER_REQUEST") or "1")
local sent, path = 0, nil

local function event()
  sent = sent + 1
  return '{"name":"screen_view","websiteId":"' .. site .. '","path":"https://example.com/page-' .. (sent % 500)
    .. '","title":"Page","referrer":"https://news.ycombinator.com/item","language":"en-US",'
    .. '"timezone":"Europe/Berlin","viewport_size":"1280x720","screen_resolution":"1920x1080","eventId":"' .. sent
    .. '-' .. os.time() .. '","anonymousId":"visitor-' .. (sent % 20000) .. '"}'
end

function init() path = wrk.path end

function request()
  if per_request == 1 then return wrk.format("POST", path, nil, event()) end
  local events = {}
  for number = 1, per_request do events[number] = event() end
  return wrk.format("POST", path, nil, "[" .. table.concat(events, ",") .. "]")
end

-- wrk itself takes every status below 400 for a success; each thread counts for itself.
wrong = 0
function response(status) if status ~= 200 then wrong = wrong + 1 end end

local threads = {}
function setup(thread) threads[#threads + 1] = thread end

function done(summary, latency)
  local bad = summary.errors.read + summary.errors.timeout + summary.errors.connect
  for _, thread in ipairs(threads) do bad = bad + thread:get("wrong") end
  io.write(string.format("LOAD %d %d %.3f %.3f %.3f\n", summary.requests, bad,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
