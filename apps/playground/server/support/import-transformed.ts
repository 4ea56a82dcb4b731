import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

/**
 * Imports a module of this folder's neighbours through Vite, for syntax that Node does not run: decorators and
 * parameter properties. What it imports in turn is Node's to load.
 *
 * @param url Address of the file.
 */
export async function importTransformed<T>(url: URL): Promise<T> {
  const { module } = await runnerImport<T>(fileURLToPath(url), {
    configFile: false,
    envDir: false,
    logLevel: 'error',
    oxc: { decorator: { legacy: true } },
  })
  return module
}
