import { narrationFor } from 'virtual:narrations/pages'

export const prerender = true

export async function load({ url }) {
  return { post: await narrationFor(url.pathname) }
}
