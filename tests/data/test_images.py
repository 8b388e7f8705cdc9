"""Pictures: folders, archives, IDX files, lists and arrays; every mode of file, and files that are none."""

import gzip
import io
import pickle
import struct
import sys
import zipfile
import zlib

import numpy as np
import pytest
from PIL import Image

from margin.data import Images
from margin.data.rows import count_rows, take_rows
from margin.errors import DataError, DataWarning, InputError, MissingPackageError, ParameterError


def picture(size=(6, 4), colour=(200, 30, 60), mode="RGB") -> Image.Image:
    """Width and height, as Pillow counts."""
    return Image.new("RGB", size, colour).convert(mode)


def data_of(image: Image.Image, form: str = "PNG", **how) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **how)
    return file.getvalue()


@pytest.fixture
def root(tmp_path):
    """Two classes; one has a folder inside, and there are files that are no pictures."""
    for name, colour in {"dog/b.png": 10, "dog/a.png": 20, "cat/deep/er.png": 30, "cat/z.PNG": 40}.items():
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data_of(picture(colour=(colour, colour, 0))))
    (tmp_path / "photos" / "dog" / "notes.txt").write_text("hello")
    (tmp_path / "photos" / "dog" / ".hidden.png").write_text("hello")
    (tmp_path / "photos" / "above.png").write_bytes(data_of(picture()))
    return tmp_path / "photos"


# Where pictures come from


def test_folders_are_classes_and_files_are_sorted(root):
    images = Images.read(root)
    assert images.names == ["cat/deep/er.png", "cat/z.PNG", "dog/a.png", "dog/b.png"]
    assert images.labels.tolist() == ["cat", "cat", "dog", "dog"]
    assert (images.classes, images.shape, images.channels) == (["cat", "dog"], (4, 4, 6, 3), 3)
    assert [int(each[0, 0, 0]) for each in images] == [30, 40, 20, 10]
    assert repr(images) == "<Images: 4 pictures, 4 x 6, RGB, 2 classes>"


def test_an_archive_is_read_like_its_folder(root, tmp_path):
    for around in ("", "photos/"):
        with zipfile.ZipFile(tmp_path / "photos.zip", "w") as archive:
            for path in sorted(root.rglob("*.[pP][nN][gG]")):
                if path.parent != root:
                    archive.write(path, around + path.relative_to(root).as_posix())
            archive.writestr("__MACOSX/dog/a.png", b"no picture")
        found, expected = Images.read(tmp_path / "photos.zip"), Images.read(root)
        assert found.labels.tolist() == expected.labels.tolist()
        assert np.array_equal(found.pixels(), expected.pixels())
        again = pickle.loads(pickle.dumps(found))
        assert np.array_equal(again.pixels(), expected.pixels())


def test_parts_stand_above_classes(root, tmp_path):
    for part in ("train", "test"):
        (tmp_path / "parted").mkdir(exist_ok=True)
        (tmp_path / "parted" / part).symlink_to(root)
    with pytest.raises(DataError, match=r"part must be one of 'test', 'train'"):
        Images.read(tmp_path / "parted")
    with zipfile.ZipFile(tmp_path / "parted.zip", "w") as archive:
        archive.write(root / "dog" / "a.png", "all/train/dog/a.png")
        archive.write(root / "cat" / "z.PNG", "all/test/cat/z.PNG")
    assert Images.read(tmp_path / "parted.zip", part="test").labels.tolist() == ["cat"]
    with pytest.raises(DataError, match=r"there are no folders train, val or test; folders are 'cat', 'dog'"):
        Images.read(root, part="train")


def test_the_shared_archives_are_read(shared_data):
    images = Images.read(shared_data("cifar10-subset.zip"), part="test")
    assert repr(images) == "<Images: 500 pictures, 32 x 32, RGB, 10 classes>"
    drawings = Images.read(shared_data("omniglot_background_small1.zip"))
    assert (len(drawings), drawings.channels, drawings.image_size, len(drawings.classes)) == (2720, 1, (105, 105), 5)


def test_idx_files_have_their_labels_beside_them(tmp_path):
    pixels, labels = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4), np.array([7, 1], np.uint8)
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(b"\0\0\x08\x01" + struct.pack(">I", 2) + labels.tobytes())
    plain = b"\0\0\x08\x03" + struct.pack(">III", 2, 3, 4) + pixels.tobytes()
    (tmp_path / "train-images-idx3-ubyte").write_bytes(plain)
    (tmp_path / "images.gz").write_bytes(gzip.compress(plain))
    images = Images.read(tmp_path / "train-images-idx3-ubyte")
    assert images.labels.tolist() == [7, 1]
    assert np.array_equal(images.pixels()[..., 0], pixels)
    assert Images.read(tmp_path / "images.gz").labels is None
    for wrong in (plain[:-1], b"\0\0\x09\x03" + plain[4:], b"\0\0\x08\x03\0", b"\x1f\x8b\0"):
        (tmp_path / "wrong").write_bytes(wrong)
        with pytest.raises(DataError, match=r"Images\.read\("):
            Images.read(tmp_path / "wrong")
    with pytest.raises(ParameterError, match="keep their size"):
        Images.read(tmp_path / "images.gz", image_size=9)


def test_a_list_names_pictures_and_labels(root):
    (root / "list.csv").write_text("file,kind,who\ndog/a.png,d,x\ncat/z.PNG,c,y\n")
    images = Images.read(root / "list.csv", target="kind")
    assert images.labels.tolist() == ["d", "c"]
    assert [int(each[0, 0, 0]) for each in images] == [20, 40]
    for text, message in {
        "file,kind,who\ndog/a.png,d,x\n": "one column of paths of pictures and one of labels",
        "file,kind\ndog/lost.png,d\n": "1 files are not there: 'dog/lost.png'",
        "file,kind\ndog/a.png\n": "as many cells in every line",
    }.items():
        (root / "list.csv").write_text(text)
        with pytest.raises(DataError, match=message):
            Images.read(root / "list.csv")


@pytest.mark.parametrize(
    ("shape", "made"), [((5, 8, 6), (5, 8, 6, 1)), ((5, 8, 6, 3), (5, 8, 6, 3)), ((5, 3, 8, 6), (5, 8, 6, 3))]
)
def test_arrays_of_three_shapes_are_pictures(shape, made):
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    images = Images.from_array(pixels, labels=range(5))
    assert images.shape == made
    assert np.shares_memory(images.pixels(), pixels)
    floats = Images.from_array(pixels / 255.0)
    assert floats.pixels().dtype == np.float32
    assert np.allclose(floats.pixels() * 255, images.pixels(), atol=1e-4)
    flat = Images.from_array(images.matrix(), image_shape=made[1:])
    assert np.array_equal(flat.pixels(), images.pixels())


def test_whole_numbers_and_truth_values_become_bytes():
    assert Images.from_array(np.array([[[0, 255]]], dtype=np.int64)).pixels().ravel().tolist() == [0, 255]
    assert Images.from_array(np.array([[[False, True]]])).pixels().ravel().tolist() == [0, 255]


@pytest.mark.parametrize(
    ("X", "how", "message"),
    [
        (np.full((2, 4, 4), 200.0), {}, r"reach from 200 to 200 \(divide by 255\)"),
        (np.full((2, 4, 4), -1.0), {}, "between 0 and 1; these reach from -1 to -1"),
        (np.full((2, 4, 4), 256), {}, "between 0 and 255"),
        (np.array([np.zeros((4, 4)), np.full((4, 4), np.nan)]), {}, "picture 1 has pixels that are not finite"),
        (np.zeros((2, 16)), {}, "flat rows need image_shape"),
        (np.zeros((2, 16)), {"image_shape": (3, 4)}, "rows have 16 cells, not 12"),
        (np.zeros((2, 4, 4)), {"image_shape": (4, 4)}, "it is for flat rows"),
        (np.zeros((2, 5, 5, 5)), {}, "no axis of 1, 3 or 4 channels"),
        (np.zeros((2, 0, 4)), {}, "holds no pictures"),
        (np.zeros(4), {}, "holds no pictures"),
        ([["a"]], {}, "pictures must be numbers"),
        (np.zeros((2, 4, 4)), {"labels": [1]}, "1 labels were given for 2 pictures"),
    ],
)
def test_arrays_that_are_no_pictures_are_refused(X, how, message):
    with pytest.raises(InputError, match=message):
        Images.from_array(X, **how)


# Rows


def test_rows_are_taken_without_decoding(root):
    images = Images.read(root)
    some = images.take([3, 0])
    assert some.labels.tolist() == ["dog", "cat"]
    assert images._source.cache.used == 0
    assert np.array_equal(some.pixels(), images.pixels()[[3, 0]])
    assert np.array_equal(images.take(images.labels == "dog").pixels(), images[2:].pixels())
    assert np.array_equal(take_rows(images, np.array([1])).pixels(), images[1:2].pixels())
    assert count_rows(images) == len(images) == 4
    for wrong in ([4], [-5], [True]):
        with pytest.raises(InputError, match=r"Images\.take"):
            images.take(wrong)


def test_the_cache_keeps_to_its_budget_and_is_shared(root):
    images = Images.read(root, cache=2 * 4 * 6 * 3)
    first = images.pixels()
    assert images._source.cache.used == 2 * 4 * 6 * 3
    assert np.array_equal(images.pixels(), first)
    assert images.take([0])._source.cache is images._source.cache
    with pytest.raises(ValueError, match="read-only"):
        images[0][0, 0, 0] = 1


# Modes, sizes, turns


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "YCbCr", "I;16"])
@pytest.mark.parametrize("channels", [1, 3])
def test_any_mode_becomes_grey_or_rgb(mode, channels, tmp_path):
    image = picture(colour=(255, 255, 255), mode="L" if mode == "I;16" else mode)
    if mode == "I;16":
        image = Image.fromarray(np.full((4, 6), 65535, np.uint16))
    form = "TIFF" if mode in ("CMYK", "YCbCr") else "PNG"
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.tif").write_bytes(data_of(image, form))
    images = Images.read(tmp_path, channels=channels)
    assert images.shape == (1, 4, 6, channels)
    assert images.pixels().min() >= 250


def test_grey_pictures_stay_grey_unless_one_has_colours(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.png").write_bytes(data_of(picture(mode="L")))
    assert Images.read(tmp_path).channels == 1
    (tmp_path / "a" / "2.png").write_bytes(data_of(picture()))
    assert Images.read(tmp_path).channels == 3


def test_sixteen_bits_keep_their_upper_ones(tmp_path):
    (tmp_path / "a").mkdir()
    values = np.array([[0, 257, 32896, 65535]], np.uint16)
    (tmp_path / "a" / "x.png").write_bytes(data_of(Image.fromarray(values)))
    assert Images.read(tmp_path).pixels().ravel().tolist() == [0, 1, 128, 255]


def test_what_is_transparent_lies_on_white(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.png").write_bytes(data_of(Image.new("RGBA", (2, 2), (0, 0, 0, 0))))
    assert Images.read(tmp_path).pixels().min() == 255


@pytest.mark.parametrize("turn", range(1, 9))
def test_pictures_are_turned_as_the_camera_was_held(turn, tmp_path):
    pixels = np.zeros((4, 6, 3), np.uint8)
    pixels[:2, :2] = 255  # the corner that is above on the left when all is turned back
    seen = [
        pixels, pixels[:, ::-1], pixels[::-1, ::-1], pixels[::-1], pixels.transpose(1, 0, 2), np.rot90(pixels, 1),
        pixels[::-1, ::-1].transpose(1, 0, 2), np.rot90(pixels, -1),
    ][turn - 1]  # fmt: skip
    exif = Image.Exif()
    exif[0x0112] = turn
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.png").write_bytes(data_of(Image.fromarray(np.ascontiguousarray(seen)), exif=exif))
    images = Images.read(tmp_path)
    assert images.image_size == (4, 6)
    assert np.array_equal(images[0], pixels)


def test_sizes_that_differ_need_one_to_become_one_array(tmp_path):
    (tmp_path / "a").mkdir()
    for i, size in enumerate([(6, 4), (8, 8)]):
        (tmp_path / "a" / f"{i}.png").write_bytes(data_of(picture(size)))
    images = Images.read(tmp_path)
    assert (images.shape, images.image_size) == ((2,), None)
    assert [each.shape for each in images] == [(4, 6, 3), (8, 8, 3)]
    with pytest.raises(InputError, match=r"from 4 x 6 to 8 x 8 \(read them with image_size=\)"):
        images.pixels()
    for fit in ("stretch", "crop", "pad"):
        assert Images.read(tmp_path, image_size=(5, 7), fit=fit).pixels().shape == (2, 5, 7, 3)
    padded = Images.read(tmp_path, image_size=8, fit="pad")[0]
    assert padded[0].max() == 0
    assert padded[4].max() == 200


def test_pictures_are_made_smaller_without_moire(tmp_path):
    stripes = np.zeros((64, 64), np.uint8)
    stripes[:, ::2] = 255
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.png").write_bytes(data_of(Image.fromarray(stripes)))
    small = Images.read(tmp_path, image_size=8).pixels()
    assert abs(small[0, :, 1:-1].astype(int) - 127).max() <= 3


# Files that cannot be used


def test_bad_files_are_counted_and_named(root):
    whole = data_of(picture((64, 64)), "JPEG")
    for name, contents in {"cut.png": data_of(picture())[:-20], "cut.jpg": whole[: len(whole) // 2], "no.png": b"hello",
                           "empty.gif": b""}.items():  # fmt: skip
        (root / "dog" / name).write_bytes(contents)
    with pytest.warns(DataWarning, match=r"4 of 8 files are left out: 'dog/cut.jpg: it is cut off', "):
        images = Images.read(root)
    assert len(images) == 4
    assert dict(images.skipped) == {
        "dog/cut.jpg": "it is cut off", "dog/cut.png": "it is cut off", "dog/empty.gif": "it is no picture",
        "dog/no.png": "it is no picture",
    }  # fmt: skip


def test_a_picture_that_breaks_later_is_named_and_check_finds_it_before(tmp_path):
    (tmp_path / "a").mkdir()
    good = data_of(Image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 40, 3), dtype=np.uint8)))
    middle = len(good) // 2
    (tmp_path / "a" / "bad.png").write_bytes(good[:middle] + bytes(len(good) - middle - 12) + good[-12:])
    (tmp_path / "a" / "good.png").write_bytes(good)
    with pytest.raises(DataError, match=r"picture 0, 'a/bad.png': its pixels cannot be read"):
        Images.read(tmp_path).pixels()
    with pytest.warns(DataWarning, match="1 of 2 files are left out: 'a/bad.png"):
        assert len(Images.read(tmp_path, check=True)) == 1


def test_of_moving_pictures_the_first_is_taken(tmp_path):
    (tmp_path / "a").mkdir()
    frames = [picture(colour=(200, 0, 0)), picture(colour=(0, 200, 0))]
    (tmp_path / "a" / "x.gif").write_bytes(data_of(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    with pytest.warns(DataWarning, match="1 files hold several pictures; the first of each is taken: 'a/x.gif'"):
        images = Images.read(tmp_path)
    assert images[0][0, 0, 0] > 190


def test_a_picture_made_to_fill_the_memory_is_left_out(tmp_path):
    data = bytearray(data_of(picture(mode="L")))
    data[16:24] = struct.pack(">II", 60_000, 60_000)
    data[29:33] = struct.pack(">I", zlib.crc32(bytes(data[12:29])))
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "bomb.png").write_bytes(bytes(data))
    with (
        pytest.warns(DataWarning, match="too many pixels"),
        pytest.raises(DataError, match="none of 1 files is a picture that can be read"),
    ):
        Images.read(tmp_path)


def test_folders_without_pictures_are_named(root, tmp_path):
    (root / "bird").mkdir()
    with pytest.warns(DataWarning, match="folders without pictures are no classes: 'bird'"):
        assert Images.read(root).classes == ["cat", "dog"]
    (tmp_path / "nothing").mkdir()
    with pytest.raises(DataError, match="there are no pictures in folders by class"):
        Images.read(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"image_size": 0}, "image_size must be a number of pixels, or height and width"),
        ({"image_size": (3, 4, 5)}, "image_size must be a number of pixels, or height and width"),
        ({"channels": 2}, r"channels must be 1 \(grey\) or 3 \(RGB\)"),
        ({"fit": "squeeze"}, "fit must be 'stretch', 'crop' or 'pad'"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(root, how, message):
    with pytest.raises(ParameterError, match=message):
        Images.read(root, **how)
    with pytest.raises(DataError, match="there is no such file or folder"):
        Images.read(root / "nowhere")


def test_arrays_need_no_pillow_and_files_say_what_to_install(root, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "PIL"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert len(Images.from_array(np.zeros((2, 3, 3), np.uint8)).pixels()) == 2
    with pytest.raises(MissingPackageError, match=r'pip install "margin\[deep\]"'):
        Images.read(root)
