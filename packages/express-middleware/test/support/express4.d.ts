// Types of version 4 would be a second `Express` namespace. What the tests use of both versions is the same.
declare module 'express4' {
  export { default } from 'express'
}
