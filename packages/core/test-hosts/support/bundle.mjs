// Bundles a program for a page, with the bundler that the first argument names, as its users do: without configuration.
import { resolve } from 'node:path'
import process from 'node:process'

const [bundler, entry] = process.argv.slice(2)
const path = resolve('out', bundler)

/** webpack and Rspack have the same interface. */
const run = (pack) =>
  new Promise((done, fail) => {
    const options = { mode: 'production', entry: `./${entry}`, output: { path, filename: 'page.js' } }
    pack(options, (error, stats) => {
      if (error ?? stats.hasErrors()) fail(error ?? new Error(stats.toString('errors-only')))
      else done()
    })
  })

const BUNDLERS = {
  async esbuild() {
    const { build } = await import('esbuild')
    await build({ entryPoints: [entry], bundle: true, format: 'esm', outfile: `${path}/page.js` })
  },
  async workerd() {
    const { build } = await import('esbuild')
    const conditions = ['workerd', 'worker', 'browser']
    await build({ entryPoints: [entry], bundle: true, format: 'esm', conditions, outfile: `${path}/page.js` })
  },
  async vite() {
    // @boundaries-ignore the clean project has it
    const { build } = await import('vite')
    const rolldownOptions = { input: entry, output: { entryFileNames: 'page.js' } }
    await build({ logLevel: 'error', build: { outDir: path, rolldownOptions } })
  },
  async webpack() {
    // @boundaries-ignore the clean project has it
    await run((await import('webpack')).default)
  },
  async rspack() {
    // @boundaries-ignore the clean project has it
    await run((await import('@rspack/core')).rspack)
  },
}
await BUNDLERS[bundler]()
