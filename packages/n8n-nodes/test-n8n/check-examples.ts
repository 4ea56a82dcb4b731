import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { IConnections, INode, INodeTypeDescription } from 'n8n-workflow'
import type { Browser, Page } from 'playwright-core'
import { Canvas } from './canvas.ts'
import { type EditorOptions, openEditor } from './check-editor.ts'
import { EXAMPLE_RUNS, type ExampleRun, type ExampleRunOptions } from './example-runs.ts'
import { EXAMPLES, type ExampleSteps, type FormStep, type NodeStep } from './example-steps.ts'
import type { N8nRest } from './rest.ts'

/** Size of the window. */
const VIEWPORT = { width: 1400, height: 1000 }

/** What the check needs. */
export type ExamplesOptions = EditorOptions &
  ExampleRunOptions & {
    /** Names of their files. @default all */
    readonly only?: readonly string[] | undefined
  }

/**
 * The eight examples, built from an empty canvas by the steps of the README, and run by a click. The workflow that n8n
 * saves is the example of the package.
 */
export async function checkExamples(
  browser: Browser,
  options: ExamplesOptions,
  print: (line: string) => void,
): Promise<string[]> {
  await mkdir(options.screenshots, { recursive: true })
  const wanted = EXAMPLES.filter(({ file }) => options.only?.includes(file) ?? true)
  for (const example of wanted) print(await checkExample(browser, example, options))
  return [`examples: ${wanted.length}, with pictures in light and dark, in ${options.screenshots}`]
}

async function checkExample(browser: Browser, example: ExampleSteps, options: ExamplesOptions): Promise<string> {
  const { rest, screenshots } = options
  await using stack = new AsyncDisposableStack()
  const run = await EXAMPLE_RUNS[example.file]?.(options, stack)
  if (run === undefined) throw new Error(`Nothing tells how to run ${example.file}`)
  const [context, page] = await openEditor(browser, rest, 'light', VIEWPORT)
  stack.defer(() => context.close())
  const canvas = new Canvas(page)
  const picture = (name: string): string => join(screenshots, `${example.file}-${name}.png`)
  try {
    const id = await build(canvas, example, { rest, run })
    const result = await run.run(page, canvas)
    await photograph(page, picture('light'))
    const [dark, darkPage] = await openEditor(browser, rest, 'dark', VIEWPORT)
    stack.defer(() => dark.close())
    await darkPage.goto(`/workflow/${id}`)
    await darkPage.getByTestId('canvas-node').first().waitFor()
    await photograph(darkPage, picture('dark'))
    const fields = example.steps.flatMap(({ form }) => form.flatMap(fieldsOf)).length
    return `examples: ${example.title}, ${example.steps.length} nodes and ${fields} fields clicked: ${result}`
  } catch (error) {
    await page.screenshot({ path: picture('failed') })
    throw new Error(`${example.title} does not work in the editor`, { cause: error })
  }
}

/** @returns The id of the saved workflow */
async function build(
  canvas: Canvas,
  { title, file, steps }: ExampleSteps,
  { rest, run }: { readonly rest: ExamplesOptions['rest']; readonly run: ExampleRun },
): Promise<string> {
  const replace = (text: string): string =>
    Object.entries(run.replaced).reduce((left, [from, to]) => left.replaceAll(from, to), text)
  await canvas.openEmpty()
  // Steps are JSON.
  await canvas.build(JSON.parse(replace(JSON.stringify(steps))) as NodeStep[])
  const id = await canvas.save(title)
  await compareWithExample(rest, id, { file, replace })
  return id
}

async function photograph(page: Page, path: string): Promise<void> {
  await new Canvas(page).fit()
  await page.screenshot({ path, animations: 'disabled' })
}

function fieldsOf(step: FormStep): unknown[] {
  if ('added' in step) return [...step.added]
  return 'rows' in step ? step.rows.flat() : [step]
}

// The build for modules of the other kind cannot be loaded by Node.
const { NodeHelpers } = createRequire(import.meta.url)('n8n-workflow') as typeof import('n8n-workflow')

/** Parts of parameters that differ with every workflow, or say how a value was chosen. */
const IGNORED: ReadonlySet<string> = new Set(['id', '__rl', 'mode', 'cachedResultName', 'cachedResultUrl'])

/** How long the editor may take to save, in milliseconds. */
const SAVE_TIMEOUT = 60_000

/** Nodes that the user sets for an account: each release of n8n begins with another model. */
const OF_THE_USER: ReadonlySet<string> = new Set(['@n8n/n8n-nodes-langchain.lmChatOpenAi'])

/** How n8n marks a field that the model of an agent defines. */
const BY_MODEL = '$fromAI('

interface StoredWorkflow {
  readonly name: string
  readonly nodes: readonly INode[]
  readonly connections: IConnections
}

/**
 * Compares a workflow that was built in the editor with an example of the package: name, nodes, types, connections, and every
 * parameter that the example sets.
 * @param replace What was typed in place of a value of the example.
 * @throws Error for the first difference
 */
async function compareWithExample(
  rest: N8nRest,
  id: string,
  { file, replace }: { readonly file: string; readonly replace: (value: string) => string },
): Promise<void> {
  const path = join(import.meta.dirname, '../examples', `${file}.json`)
  const example = JSON.parse(await readFile(path, 'utf8')) as StoredWorkflow
  const types = await rest.nodeTypes()
  const wanted = example.nodes.filter(({ type }) => !type.endsWith('.stickyNote'))
  const built = await savedWith(rest, id, wanted.length)
  expectSame('names', [built.name], [example.name])
  expectSame('nodes', built.nodes.map(nodeOf).toSorted(), wanted.map(nodeOf).toSorted())
  expectSame('connections', sorted(built.connections), sorted(example.connections))
  for (const node of wanted.filter(({ type }) => !OF_THE_USER.has(type))) {
    const own = built.nodes.find(({ name }) => name === node.name)
    const parameters = own === undefined ? {} : withDefaults(own, types)
    for (const [where, value] of leaves(withDefaults(node, types), node.name)) {
      const found = plain(leafAt(parameters, where.slice(1)))
      const expected = plain(typeof value === 'string' ? replace(value) : value)
      if (found !== expected)
        throw new Error(`${where.join('.')} is ${String(found)} on the canvas, ${String(expected)} in the example`)
    }
  }
}

/** The editor saves by itself, a moment after each change. */
async function savedWith(rest: N8nRest, id: string, nodes: number): Promise<StoredWorkflow> {
  for (const end = Date.now() + SAVE_TIMEOUT; ; await delay(500)) {
    const stored = await rest.send<StoredWorkflow>('GET', `/rest/workflows/${id}`)
    if (stored.nodes.length >= nodes || Date.now() > end) return stored
  }
}

function nodeOf({ name, type }: INode): string {
  return `${name} (${type})`
}

function withDefaults(node: INode, types: readonly INodeTypeDescription[]): object {
  const type = types.find(({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion))
  if (type === undefined) throw new Error(`n8n has no ${node.type} ${node.typeVersion}`)
  return NodeHelpers.getNodeParameters(type.properties, node.parameters, true, false, node, type) ?? {}
}

/** The path and value of each text, number and switch that is set. */
function leaves(value: unknown, ...path: string[]): [string[], unknown][] {
  if (typeof value !== 'object' || value === null) return value === '' ? [] : [[path, value]]
  return Object.entries(value).flatMap(([name, own]) => (IGNORED.has(name) ? [] : leaves(own, ...path, name)))
}

function leafAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  )
}

/** A fixed text and an expression without braces are the same; so are all fields that the model defines. */
function plain(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.includes(BY_MODEL) ? BY_MODEL : value.replace(/^=(?!.*\{\{)/s, '')
}

function sorted(connections: IConnections): string[] {
  return Object.entries(connections)
    .flatMap(([from, types]) =>
      Object.entries(types).flatMap(([type, groups]) =>
        groups.flatMap((group) => (group ?? []).map(({ node }) => `${from} ${type} ${node}`)),
      ),
    )
    .toSorted()
}

function expectSame(what: string, found: readonly string[], expected: readonly string[]): void {
  if (found.join('\n') !== expected.join('\n'))
    throw new Error(`The ${what} on the canvas are\n${found.join('\n')}\nand not\n${expected.join('\n')}`)
}
