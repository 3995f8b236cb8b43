-- Asks for all flags of a website: LOAD_MODE distinct (a new user each time), repeated (of a few users) or unchanged (with the
-- tag of the answer that each of those few has). Every answer has to be 200, or 304 where it is unchanged.
local mode = os.getenv("LOAD_MODE") or "distinct"
local client = os.getenv("LOAD_CLIENT")
local wanted = mode == "unchanged" and 304 or 200
wrong = 0
function response(status) if status ~= wanted then wrong = wrong + 1 end end

local threads = {}
function setup(thread)
  threads[#threads + 1] = thread
  thread:set("seed", os.time())
end

local asked = {}
function init()
  math.randomseed(seed)
  for line in io.lines(os.getenv("LOAD_ASKED")) do
    local path, tag = line:match("^(%S+) (%S+)$")
    asked[#asked + 1] = wrk.format("GET", path, mode == "unchanged" and { ["If-None-Match"] = tag } or {})
  end
end

local plans = { "free", "pro", "team" }
function request()
  if mode ~= "distinct" then return asked[math.random(#asked)] end
  return wrk.format("GET", string.format(
    "/public/v1/flags/bulk?clientId=%s&userId=user-%d&email=u%d%%40shop.example"
      .. "&properties=%%7B%%22plan%%22%%3A%%22%s%%22%%2C%%22seats%%22%%3A%d%%7D",
    client, math.random(0, 100000000), math.random(0, 100000000), plans[math.random(#plans)], math.random(1, 50)))
end

function done(summary, latency)
  local bad = summary.errors.read + summary.errors.timeout + summary.errors.connect
  for _, thread in ipairs(threads) do bad = bad + thread:get("wrong") end
  io.write(string.format("LOAD %d %d %.3f %.3f %.3f\n", summary.requests, bad,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
