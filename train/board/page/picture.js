// The board as a picture, for other programs.

// An SVG that needs no style sheet.
export function picture(board) {
  const copy = board.cloneNode(true);
  const [own, drawn] = [board, copy].map((svg) => svg.querySelectorAll('*'));
  own.forEach((from, index) => {
    const style = getComputedStyle(from);
    for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline']) {
      drawn[index].setAttribute(name, style.getPropertyValue(name));
    }
    if (from.style.transform) drawn[index].setAttribute('transform', from.style.transform.replaceAll('px', ''));
    drawn[index].removeAttribute('style');
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', 720);
  copy.setAttribute('height', 706);
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
}

export function download(name, address) {
  const link = document.createElement('a');
  link.download = name;
  link.href = address;
  link.click();
}

export function downloadPng(board) {
  const image = new Image();
  image.addEventListener('load', () => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [1440, 1412];
    const context = canvas.getContext('2d');
    context.fillStyle = '#f4ead7';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    download('gipf.png', canvas.toDataURL('image/png'));
  });
  image.src = picture(board);
}
