// Builds the site and checks it as a reader gets it: links and anchors, weight, accessibility in both themes on a desktop
// and a phone, and a player that plays. Needs Chromium. `--screenshots <folder>` stores a picture of each checked page.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'vitepress'
import { findDeadLinks, largestPages } from './dead-links.ts'
import { serveFolder } from './serve-folder.ts'
import { checkInBrowser } from './check-in-browser.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')

const { values } = parseArgs({ options: { screenshots: { type: 'string' } } })
if (values.screenshots !== undefined) mkdirSync(values.screenshots, { recursive: true })

await build(ROOT)
const faults = findDeadLinks(DIST)
await using site = await serveFolder(DIST)
faults.push(...(await checkInBrowser(site.url, { screenshots: values.screenshots, largest: largestPages(DIST, 8) })))

for (const fault of faults) console.error(fault)
console.log(`${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
