import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { Canvas } from './canvas.ts'
import { type EditorOptions, openEditor } from './check-editor.ts'
import { compareWithExample } from './compare-workflow.ts'
import { EXAMPLE_RUNS, type ExampleRun, type ExampleRunOptions } from './example-runs.ts'
import { EXAMPLES, type ExampleSteps, type FormStep, type NodeStep } from './example-steps.ts'

/** Size of the window. */
const VIEWPORT = { width: 1400, height: 1000 }

/** What the check needs. */
export type ExamplesOptions = EditorOptions & ExampleRunOptions

/**
 * The four examples, built from an empty canvas by the steps of the README, and run by a click. The workflow that n8n
 * saves is the example of the package.
 */
export async function checkExamples(
  browser: Browser,
  options: ExamplesOptions,
  print: (line: string) => void,
): Promise<string[]> {
  await mkdir(options.screenshots, { recursive: true })
  for (const example of EXAMPLES) print(await checkExample(browser, example, options))
  return [`examples: ${EXAMPLES.length}, with pictures in light and dark, in ${options.screenshots}`]
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
