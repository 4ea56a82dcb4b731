import { narrationFor } from 'virtual:narrations/pages'

export const prerender = true

export async function load({ route }) {
  return { post: await narrationFor(route.id ?? '') }
}
