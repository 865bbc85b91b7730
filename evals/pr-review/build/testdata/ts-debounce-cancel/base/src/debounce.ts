export class Debounce {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly wait: number) {}

  call(f: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(f, this.wait);
  }
}
