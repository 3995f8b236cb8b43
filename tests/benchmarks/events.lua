-- wrk: send the requests of a file (visits.py) one after the other, each event with an id of its own. Each turn begins
-- elsewhere in the file.
local ID = ("#"):rep(16) -- what stands for an id there, which is as long
local pieces, at, sent = {}, 0, 0

function init()
  local file = assert(io.open(os.getenv("LOAD_REQUESTS"), "rb"))
  for text in file:read("*a"):gmatch("%Z+") do
    local piece, from = {}, 1
    for here in text:gmatch("()" .. ID) do
      piece[#piece + 1] = text:sub(from, here - 1)
      piece[#piece + 1] = ""
      from = here + #ID
    end
    piece[#piece + 1] = text:sub(from)
    pieces[#pieces + 1] = piece
  end
  file:close()
  at = math.floor(#pieces * tonumber(os.getenv("LOAD_TURN")) * 0.55) % #pieces
end

local began = os.time()
function request()
  at = at % #pieces + 1
  local piece = pieces[at]
  for place = 2, #piece, 2 do
    sent = sent + 1
    piece[place] = string.format("%08x%08x", began, sent)
  end
  return table.concat(piece)
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
