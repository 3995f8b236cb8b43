-- Follows random short links, as browsers of several kinds do. Every answer has to be a redirect.
local links = tonumber(os.getenv("LOAD_LINKS") or "1000")
local agents = {
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
}
local referrers = {
  "https://www.google.com/", "https://www.facebook.com/", "https://t.co/", "https://news.example/today",
  "https://www.linkedin.com/feed/",
}
-- wrk itself takes every status below 400 for a success; each thread counts for itself.
wrong = 0
function response(status) if status ~= 302 then wrong = wrong + 1 end end

local threads = {}
function setup(thread)
  threads[#threads + 1] = thread
  thread:set("seed", os.time())
end

-- ms that each connection waits before its next request, so that a crowd asks at a rate instead of as fast as it can
local pause = tonumber(os.getenv("LOAD_PAUSE") or "0")

function init()
  math.randomseed(seed)
  if pause > 0 then delay = function() return math.random(0, 2 * pause) end end
end

function request()
  local number = math.random(0, links - 1)
  local headers = {
    ["User-Agent"] = agents[math.random(#agents)],
    ["Accept"] = "text/html,application/xhtml+xml",
    ["Accept-Language"] = "en-US,en;q=0.5",
    ["Referer"] = referrers[math.random(#referrers)],
  }
  return wrk.format("GET", string.format("/l/s%07d", number), headers)
end

function done(summary, latency)
  local bad = summary.errors.read + summary.errors.timeout + summary.errors.connect
  for _, thread in ipairs(threads) do bad = bad + thread:get("wrong") end
  io.write(string.format("LOAD %d %d %.3f %.3f %.3f\n", summary.requests, bad,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
