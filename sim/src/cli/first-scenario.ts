/** What `sim init` writes: a scenario to begin with, small enough to read in a minute, that runs as it is. */

export const FIRST_SCENARIO = `# A scenario to begin with. Change a number, run it again, and see what becomes of it.
#
#   sim check FILE                    what is wrong with it, with lines
#   sim run FILE                      figures here, trace and report in out/
#   sim schema > scenario.schema.json and "# yaml-language-server: $schema=./scenario.schema.json" as the first line of
#                                     this file: completion and help in an editor

question: Twenty agents, and a provider that takes five requests at once. How long does it take, and how many are refused?
seed: 1 # the same seed, the same run to the last byte; another seed, other luck

governor:
  preset: reference # the cap starts at 8 requests in flight, falls with a refusal, and rises again with successes
  # initial: 8
  # controller: none # what becomes of it with no governor at all

providers:
  acme:
    wire: openai # what answers and refusals look like; or, for a real provider's limits, profile: zhipu
    models:
      large:
        quotas:
          - concurrency: 5
          # - { name: rpm, requests: 60, per: 1m, burst: 10 } # beside it: sixty a minute
        retryAfter: none # or exact: the provider says when to come back
        latency:
          firstToken: { lognormal: { median: 600ms, p95: 2s } }
          perOutputToken: 12ms
          refusal: 50ms

workload:
  runs:
    - id: review
      target: acme/large # provider/model
      # maxConcurrency: 4 # agents working at once; without it, as many as the cap starts with
      timeout: 10m # of one attempt
      agents:
        count: 20
        name: "reviewer-{n}"
        requests: 4 # of each agent, one after the other
        tokens: { input: 3000, output: { lognormal: { median: 300, p95: 900 } }, max: 4096 }
  # arrivals: # requests that come by themselves, in no run
  #   - { id: web, target: acme/large, rate: 1/s, process: poisson, count: 100, tokens: { input: 100, output: 50 } }

# timeline: # what changes while it runs
#   - { at: 30s, set: { "providers.acme.models.large.quotas[0].concurrency": 3 } }

stop: { when: done, after: 1h }

expect: # by the names of out/FILE-1/summary.json; sim run says PASS or FAIL of each
  requests.lost: { equals: 0 }
  makespan: { max: 5m }
  refused.share: { max: 20% }
`;
