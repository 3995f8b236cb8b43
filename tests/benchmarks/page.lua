-- Asks for one page over and over, as a browser that takes gzip does. Every answer has to be 200.
-- ms that each connection waits before its next request, so that a crowd asks at a rate instead of as fast as it can
local pause = tonumber(os.getenv("LOAD_PAUSE") or "0")

wrong = 0
function response(status) if status ~= 200 then wrong = wrong + 1 end end

local threads = {}
function setup(thread)
  threads[#threads + 1] = thread
  thread:set("seed", os.time())
end

function init()
  math.randomseed(seed)
  if pause > 0 then delay = function() return math.random(0, 2 * pause) end end
end

function request()
  local headers = {
    ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    ["Accept"] = "text/html,application/xhtml+xml",
    ["Accept-Language"] = "en-US,en;q=0.5",
    ["Accept-Encoding"] = "gzip",
  }
  return wrk.format("GET", nil, headers)
end

function done(summary, latency)
  local bad = summary.errors.read + summary.errors.timeout + summary.errors.connect
  for _, thread in ipairs(threads) do bad = bad + thread:get("wrong") end
  io.write(string.format("LOAD %d %d %.3f %.3f %.3f\n", summary.requests, bad,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
