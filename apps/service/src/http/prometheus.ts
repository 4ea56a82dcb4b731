/** Labels of a sample: a value for each name. */
export type Labels<Name extends string> = Readonly<Record<Name, string | number>>

/** The labels of a sample, where the metric has some. */
type Labelled<Name extends string> = [Name] extends [never] ? [] : [labels: Labels<Name>]

/** A counter or a gauge. */
export interface Metric<Name extends string = never> {
  set(value: number, ...labels: Labelled<Name>): void
  /** Sets a sample for each value of the only label. */
  setEach(values: Readonly<Record<string, number>>): void
  add(value: number, ...labels: Labelled<Name>): void
  /** Forgets every sample that has labels. */
  clear(): void
}

/** A histogram. */
export interface HistogramMetric<Name extends string = never> {
  observe(values: readonly number[], ...labels: Labelled<Name>): void
}

/**
 * Metrics in the text format of Prometheus, in the order in which they were added.
 *
 * Names and labels are those of our own code. promtool checks the result in a test.
 */
export class Metrics {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8'
  readonly #prefix: string
  readonly #families: Family[] = []
  readonly #reads: (() => void)[] = []

  /** @param prefix Begins the name of each metric. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Adds a counter. Its name ends in `_total`. */
  counter<Name extends string = never>(
    name: `${string}_total`,
    help: string,
    names: readonly Name[] = [],
  ): Metric<Name> {
    return this.#add(new Samples(this.#head(name, help, 'counter'), names))
  }

  /** Adds a gauge. */
  gauge<Name extends string = never>(name: string, help: string, names: readonly Name[] = []): Metric<Name> {
    return this.#add(new Samples(this.#head(name, help, 'gauge'), names))
  }

  /**
   * Adds a histogram.
   * @param bounds Inclusive upper bounds of its buckets, the smallest first.
   */
  histogram<Name extends string = never>(
    name: string,
    help: string,
    bounds: readonly number[],
    names: readonly Name[] = [],
  ): HistogramMetric<Name> {
    return this.#add(new Buckets(this.#head(name, help, 'histogram'), names, bounds))
  }

  /** Calls the function before the metrics are rendered, to set those whose values are elsewhere. */
  onRead(read: () => void): void {
    this.#reads.push(read)
  }

  render(): string {
    for (const read of this.#reads) read()
    return this.#families.map((family) => `${[...family.head.lines, ...family.lines()].join('\n')}\n`).join('\n')
  }

  #head(name: string, help: string, type: string): Head {
    const full = this.#prefix + name
    return { name: full, lines: [`# HELP ${full} ${escaped(help)}`, `# TYPE ${full} ${type}`] }
  }

  #add<Added extends Family>(family: Added): Added {
    this.#families.push(family)
    return family
  }
}

/** The full name of a metric, and the lines before its samples. */
interface Head {
  readonly name: string
  readonly lines: readonly string[]
}

interface Family {
  readonly head: Head
  /** Lines of the samples. */
  lines(): string[]
}

class Samples<Name extends string> implements Family, Metric<Name> {
  readonly head: Head
  readonly #names: readonly Name[]
  /** Values by the text of their labels. */
  readonly #values = new Map<string, number>()

  constructor(head: Head, names: readonly Name[]) {
    this.head = head
    this.#names = names
    this.clear()
  }

  set(value: number, ...[labels]: Labelled<Name>): void {
    this.#values.set(labelText(this.#names, labels), value)
  }

  setEach(values: Readonly<Record<string, number>>): void {
    for (const [label, value] of Object.entries(values)) {
      this.#values.set(this.#names.map((name) => labelPair(name, label)).join(','), value)
    }
  }

  add(value: number, ...[labels]: Labelled<Name>): void {
    const text = labelText(this.#names, labels)
    this.#values.set(text, (this.#values.get(text) ?? 0) + value)
  }

  clear(): void {
    this.#values.clear()
    // A series that is there before its first event has a rate for that event.
    if (this.#names.length === 0) this.#values.set('', 0)
  }

  lines(): string[] {
    return Array.from(this.#values, ([labels, value]) => sample(this.head.name, labels, value))
  }
}

class Buckets<Name extends string> implements Family, HistogramMetric<Name> {
  readonly head: Head
  readonly #names: readonly Name[]
  readonly #bounds: readonly number[]
  /** By the text of the labels: the numbers of values by bucket, the last one without a bound, and their sum. */
  readonly #series = new Map<string, { readonly counts: number[]; sum: number }>()

  constructor(head: Head, names: readonly Name[], bounds: readonly number[]) {
    this.head = head
    this.#names = names
    this.#bounds = bounds
  }

  observe(values: readonly number[], ...[labels]: Labelled<Name>): void {
    if (values.length === 0) return
    const text = labelText(this.#names, labels)
    const series = this.#series.get(text) ?? { counts: Array<number>(this.#bounds.length + 1).fill(0), sum: 0 }
    this.#series.set(text, series)
    for (const value of values) {
      const bucket = this.#bounds.findIndex((bound) => value <= bound)
      const at = bucket === -1 ? this.#bounds.length : bucket
      series.counts[at] = (series.counts[at] ?? 0) + 1
      series.sum += value
    }
  }

  lines(): string[] {
    const { name } = this.head
    return [...this.#series].flatMap(([labels, { counts, sum }]) => {
      const rest = labels === '' ? '' : `${labels},`
      let below = 0
      const buckets = counts.map((count, at) => {
        below += count
        return sample(`${name}_bucket`, `${rest}le="${numberText(this.#bounds[at] ?? Infinity)}"`, below)
      })
      buckets.push(sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, below))
      return buckets
    })
  }
}

function labelText<Name extends string>(names: readonly Name[], labels: Labels<Name> | undefined): string {
  if (labels === undefined) return ''
  return names.map((name) => labelPair(name, String(labels[name]))).join(',')
}

function labelPair(name: string, value: string): string {
  return `${name}="${escaped(value).replaceAll('"', String.raw`\"`)}"`
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}`
}

/** A number as Prometheus writes it. */
function numberText(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}

function escaped(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`)
}
