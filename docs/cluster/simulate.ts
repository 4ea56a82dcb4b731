// Simulates the busiest hour of a cluster: `node docs/cluster/simulate.ts`. The inputs are measured; see
// docs/cluster-simulation.md.

/** Costs of one task kind on one core. */
interface Kind {
  readonly share: number
  /** Seconds of work of an average task. */
  readonly seconds: number
  /** Requests to S3, those of a download included. */
  readonly requests: number
}

const INPUTS = {
  /** The busiest hour has this many times the mean. */
  peak: 3,
  kinds: {
    // 30 s of speech at 8 ms per second, and 15 ms per second for mp3
    speech: { share: 0.7, seconds: 0.7, requests: 3 },
    // 60 s of recording at 0.2 s a second
    transcription: { share: 0.3, seconds: 12, requests: 4 },
  } satisfies Record<string, Kind>,
  /** Cores of a worker, and tasks that it runs at once. */
  slots: 2,
  /** Connections of a worker to PostgreSQL. */
  connections: 4,
  /** Seconds of a claim, with waiting tasks of 1,000 tenants and 4,000 leases. Claims of different tenants do not wait. */
  claim: 0.000_67,
  /** What PostgreSQL does in a second, on two shared cores. A claim is processor time alone. */
  database: { accepts: 400, claims: 2 / 0.000_67, ends: 1400, renewals: 1600, emptyClaims: 2 / 0.000_33 },
  /** Loops of a worker that claim tasks. */
  workClasses: 2,
  /** Workers that a task wakes, about. */
  woken: 10,
  /** Seconds between polls of an idle worker, for tasks and for webhooks, and between renewals. */
  poll: 1,
  renewal: 10,
} as const

/** Numbers from 0 to 1, the same in each run. */
function createRandom(): () => number {
  let state = 42
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A heap of times, the earliest first. */
class Times {
  readonly #times: number[] = []

  push(time: number): void {
    const times = this.#times
    let at = times.push(time) - 1
    while (at > 0 && (times[(at - 1) >> 1] ?? 0) > time) {
      times[at] = times[(at - 1) >> 1] ?? 0
      at = (at - 1) >> 1
    }
    times[at] = time
  }

  pop(): number {
    const times = this.#times
    const first = times[0] ?? Infinity
    const last = times.pop() ?? Infinity
    let at = 0
    for (let child = 1; child < times.length; child = 2 * at + 1) {
      if ((times[child + 1] ?? Infinity) < (times[child] ?? Infinity)) child += 1
      if ((times[child] ?? Infinity) >= last) break
      times[at] = times[child] ?? Infinity
      at = child
    }
    if (times.length > 0) times[at] = last
    return first
  }
}

/** Simulates an hour at the peak. Tasks start in the order of their arrival. */
function simulate(tasksADay: number, workers: number) {
  const random = createRandom()
  const exponential = (mean: number): number => -mean * Math.log(1 - random())
  const rate = (tasksADay / 86_400) * INPUTS.peak
  const free = new Times()
  for (let slot = 0; slot < workers * INPUTS.slots; slot += 1) free.push(0)
  const { speech, transcription } = INPUTS.kinds
  const waits: number[] = []
  let [arrival, work] = [0, 0]
  while (arrival < 3600) {
    arrival += exponential(1 / rate)
    const start = Math.max(arrival, free.pop()) + INPUTS.claim
    const seconds = exponential(random() < speech.share ? speech.seconds : transcription.seconds)
    free.push(start + seconds)
    waits.push(start - arrival)
    work += seconds
  }
  waits.sort((one, other) => one - other)
  const busy = Math.min(1, work / (3600 * workers * INPUTS.slots))
  const idle = workers * (1 - busy)
  const { database, workClasses } = INPUTS
  const load =
    rate / database.accepts +
    rate / database.claims +
    rate / database.ends +
    (workers * INPUTS.slots * busy) / INPUTS.renewal / database.renewals +
    // Each work class polls, and the loop of the webhooks.
    (idle * (workClasses * rate * Math.min(1, INPUTS.woken / workers) + (workClasses + 1) / INPUTS.poll)) /
      database.emptyClaims
  const requests = rate * (speech.share * speech.requests + transcription.share * transcription.requests)
  return {
    'million tasks a day': tasksADay / 1_000_000,
    workers,
    'busy %': Math.round(100 * busy),
    'wait p50 s': round(waits[Math.floor(waits.length / 2)]),
    'wait p95 s': round(waits[Math.floor(waits.length * 0.95)]),
    // Cores that PostgreSQL needs at the peak.
    'PostgreSQL cores': round(2 * load),
    connections: workers * INPUTS.connections,
    'S3 requests/s': Math.round(requests),
  }
}

function round(value: number = 0): number {
  return Math.round(value * 100) / 100
}

const SIZES = [
  [1, 10],
  [1, 75],
  [1, 100],
  [1, 1000],
  [10, 750],
  [10, 1000],
  [10, 3000],
  [100, 7500],
  [100, 10_000],
] as const
console.table(SIZES.map(([millions, workers]) => simulate(millions * 1_000_000, workers)))
