"""Elevation maps: one asymmetric landmark stays where it is, whatever a map is turned into and back."""

from __future__ import annotations

import json
import struct
import zipfile
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, TiffImagePlugin

from plantar import _memory, ground
from plantar.errors import InvalidInput
from plantar.ground import ElevationMap, HeightField, Stairs, SteppingStones

LANDMARK = (0.31, -0.17)
"""Forward of the middle and to the right: no mirror image or turn of it is the same."""


def landmark() -> ElevationMap:
    """A map of 30 x 50 cells with a gable at the landmark that is longer forward than aside."""

    def height(x, y):
        ahead, aside = x - LANDMARK[0], y - LANDMARK[1]
        return np.maximum(0, 0.2 - np.abs(ahead) - 3 * np.abs(aside)) + 0.02 * x - 0.01 * y

    return ElevationMap.from_function(height, x=(-0.5, 0.48), y=(-0.3, 0.28), cell=0.02, frame="odom")


def top(elevation: ElevationMap) -> tuple[float, float]:
    j, i = np.unravel_index(np.nanargmax(elevation.heights), elevation.shape)
    return elevation.position(int(j), int(i))


def test_cells_are_addressed_in_metres():
    grid = landmark()
    assert grid.shape == (30, 50)
    assert top(grid) == pytest.approx(LANDMARK, abs=0.011)
    j, i = grid.index(*LANDMARK)
    assert grid.position(j, i) == pytest.approx(LANDMARK, abs=0.0101)
    assert grid.at(*grid.position(3, 7)) == pytest.approx(grid.heights[3, 7])
    # Halfway between four cells the height is their mean.
    x, y = grid.position(3, 7)
    assert grid.at(x + 0.01, y + 0.01) == pytest.approx(grid.heights[3:5, 7:9].mean())
    assert np.isnan(grid.at(5.0, 0.0))
    with pytest.raises(InvalidInput, match="point"):
        grid.index(0.5, 0.3)


def test_npz_and_picture(tmp_path):
    grid = landmark()
    heights = grid.heights.copy()
    heights[2, 5] = np.nan
    grid = ElevationMap(heights=heights, cell=grid.cell, origin=grid.origin, frame="odom")
    assert ElevationMap.load(grid.save(tmp_path / "a.npz")) == grid
    back = ElevationMap.load(grid.save(tmp_path / "a.png"))
    assert (back.origin, back.cell, back.frame) == (grid.origin, grid.cell, grid.frame)
    step = np.ptp(grid.heights[~np.isnan(heights)]) / 65534
    assert np.nanmax(np.abs(back.heights - grid.heights)) <= 0.51 * step
    assert np.array_equal(np.isnan(back.heights), np.isnan(grid.heights))


def test_every_form_brings_the_map_back(tmp_path):
    grid = landmark()
    holed = replace(grid, heights=np.where(grid.heights > 0.15, np.nan, grid.heights))
    for name, error in (("a.npz", 0.0), ("a.json", 0.0), ("a.tif", 1e-7)):
        back = ElevationMap.load(holed.save(tmp_path / name))
        assert np.array_equal(np.isnan(back.heights), np.isnan(holed.heights)), name
        assert np.nanmax(np.abs(back.heights - holed.heights)) <= error, name
        assert back.cell == pytest.approx(grid.cell) and back.origin == pytest.approx(grid.origin), name
        assert back.frame == "odom", name
    bare = ElevationMap.load(grid.save(tmp_path / "a.npy"), cell=grid.cell, origin=grid.origin)
    assert np.array_equal(bare.heights, grid.heights)
    with pytest.raises(InvalidInput, match=r"\.npz"):
        grid.save(tmp_path / "a.txt")


def geotiff(path, raster, **fields):
    """A GeoTIFF as GDAL writes it: the tie point is the upper left corner of the upper left cell."""
    note = TiffImagePlugin.ImageFileDirectory_v2()
    usual = {33550: (12, (0.5, 0.5, 0.0)), 33922: (12, (0.0, 0.0, 0.0, 500.0, 4000.0, 0.0)), 42113: (2, "-9999")}
    for number, (kind, value) in {**usual, **fields.get("tags", {})}.items():
        note.tagtype[number] = kind
        note[number] = value
    Image.fromarray(raster).save(path, tiffinfo=note)
    return path


def test_a_geotiff_has_heights_in_metres_and_its_own_place(tmp_path):
    raster = np.zeros((6, 8), np.float32)
    raster[1, 5], raster[4, 2] = 12.25, -9999
    grid = ElevationMap.load(geotiff(tmp_path / "dem.tif", raster))
    assert grid.cell == 0.5 and grid.shape == (6, 8)
    assert grid.at(500 + 5.5 * 0.5, 4000 - 1.5 * 0.5) == 12.25, "row 1 is near the northern edge"
    assert np.isnan(grid.at(500 + 2.5 * 0.5, 4000 - 4.5 * 0.5)) and np.isnan(grid.heights).sum() == 1
    assert ElevationMap.load(tmp_path / "dem.tif", origin=(0.0, 0.0)).origin == (0.0, 0.0)
    whole = ElevationMap.load(geotiff(tmp_path / "int.tif", np.arange(48, dtype=np.int32).reshape(6, 8)))
    assert whole.heights[-1, 3] == 3.0 and whole.heights[0, 0] == 40.0
    Image.fromarray(raster).save(tmp_path / "plain.tif")
    assert np.nanmax(ElevationMap.load(tmp_path / "plain.tif", cell=0.1).heights) == 12.25
    degrees = {34735: (3, (1, 1, 0, 1, 1024, 0, 1, 2))}
    with pytest.raises(InvalidInput, match="gdalwarp"):
        ElevationMap.load(geotiff(tmp_path / "deg.tif", raster, tags=degrees))
    with pytest.raises(InvalidInput, match="square"):
        ElevationMap.load(geotiff(tmp_path / "long.tif", raster, tags={33550: (12, (0.5, 0.25, 0.0))}))


def test_an_npz_may_call_its_heights_as_it_likes(tmp_path):
    heights = np.arange(12.0).reshape(3, 4)
    np.savez(tmp_path / "a.npz", elevation=heights, resolution=0.1)
    np.savez(tmp_path / "b.npz", dune=heights, x=np.arange(4) * 0.2, y=1 + np.arange(3) * 0.2)
    np.savez(tmp_path / "c.npz", before=heights, after=heights + 1)
    grid = ElevationMap.load(tmp_path / "a.npz")
    assert grid.cell == 0.1 and np.array_equal(grid.heights, heights)
    grid = ElevationMap.load(tmp_path / "b.npz")
    assert grid.cell == pytest.approx(0.2) and grid.origin == (0.0, 1.0)
    with pytest.raises(InvalidInput, match="before, after"):
        ElevationMap.load(tmp_path / "c.npz", cell=0.1)
    assert ElevationMap.load(tmp_path / "c.npz", cell=0.1, key="after").heights.max() == 12


@pytest.mark.parametrize(
    ("x", "y", "word"),
    [
        (0.02 * np.arange(4), 0.05 * np.arange(3), "square"),
        (0.02 * np.arange(3), 0.02 * np.arange(4), "x = 3 "),
        (0.02 * np.arange(4), 0.02 * np.arange(4), "y = 4 "),
    ],
    ids=["oblong", "turned", "longer"],
)
def test_coordinates_of_an_npz_fit_its_heights(x, y, word, tmp_path):
    """Cells that are not square, or heights whose rows run along x, would be another ground."""
    np.savez(tmp_path / "map.npz", heights=np.arange(12.0).reshape(3, 4), x=x, y=y)
    with pytest.raises(InvalidInput, match=word):
        ElevationMap.load(tmp_path / "map.npz")


def test_a_geotiff_of_colours_is_no_ground(tmp_path):
    """An orthophoto of the same place has a georeference, too, and would be up to 255 m high."""
    with pytest.raises(InvalidInput, match="one layer of heights"):
        ElevationMap.load(geotiff(tmp_path / "photo.tif", np.zeros((4, 5, 3), np.uint8)))


def test_a_map_is_resampled_on_square_cells_only():
    x, y = np.linspace(-0.2, 0.2, 5), np.linspace(-0.1, 0.1, 5)
    with pytest.raises(InvalidInput, match="spaced"):
        landmark().resampled(x, y)
    with pytest.raises(InvalidInput, match="spaced"):
        landmark().resampled(np.array([0.0, 0.1, 0.3]), x)


def test_levels_of_a_picture_have_a_white():
    levels = [[0, 128], [255, 0]]
    with pytest.raises(InvalidInput, match="pixels"):
        ground.from_image(np.array(levels), cell=0.1, low=0.0, high=0.5)
    grey = ground.from_image(np.array(levels, np.uint8), cell=0.1, low=0.0, high=0.5)
    assert grey.heights.max() == pytest.approx(0.5)


def test_a_message_of_ros_in_yaml(tmp_path):
    yaml = pytest.importorskip("yaml")
    (tmp_path / "echo.yaml").write_text(yaml.safe_dump(message(landmark())) + "---\n")
    assert np.allclose(ElevationMap.load(tmp_path / "echo.yaml").heights, landmark().heights)
    (tmp_path / "bad.json").write_text("[1, 2]")
    with pytest.raises(InvalidInput, match="grid_map"):
        ElevationMap.load(tmp_path / "bad.json")


def test_plain_data_brings_a_map_back():
    holed = replace(landmark(), heights=np.where(landmark().heights > 0.15, np.nan, landmark().heights))
    assert ElevationMap.from_dict(json.loads(json.dumps(holed.to_dict()))) == holed
    with pytest.raises(InvalidInput, match="origin, cell, heights"):
        ElevationMap.from_dict({"cell": 1})


def test_a_plain_picture_has_forward_up_and_left_on_the_left():
    pixels = np.zeros((40, 30), np.uint8)
    pixels[5, 22] = 255  # near the upper edge, right of the middle: ahead and to the right
    grid = ground.from_image(pixels, cell=0.02, low=0.0, high=0.3)
    assert top(grid) == pytest.approx((0.02 * (19.5 - 5), 0.02 * (14.5 - 22)))
    assert grid.heights.max() == pytest.approx(0.3)


def test_grid_map_convention():
    """Row 0 is the farthest ahead, column 0 the farthest left, `position` the middle of the map."""
    grid = landmark()
    layer, resolution, position = ground.to_grid_map(grid)
    assert layer.shape == (50, 30)
    i, j = np.unravel_index(np.argmax(layer), layer.shape)
    x = position[0] + (layer.shape[0] / 2 - i - 0.5) * resolution
    y = position[1] + (layer.shape[1] / 2 - j - 0.5) * resolution
    assert (x, y) == pytest.approx(LANDMARK, abs=0.011)
    back = ground.from_grid_map(layer, resolution, position, frame="odom")
    assert np.array_equal(back.heights, grid.heights)
    assert back.origin == pytest.approx(grid.origin)
    ring = np.roll(layer, (13, 4), axis=(0, 1))
    rolled = ground.from_grid_map(ring, resolution, position, start_index=(13, 4))
    assert np.array_equal(rolled.heights, grid.heights)


def message(grid: ElevationMap, turn: float = 0.0) -> dict:
    layer, resolution, (x, y) = ground.to_grid_map(grid)
    dims = [{"label": "column_index", "size": layer.shape[1]}, {"label": "row_index", "size": layer.shape[0]}]
    return {
        "info": {
            "resolution": resolution,
            "header": {"frame_id": "odom"},
            "pose": {"position": {"x": x, "y": y}, "orientation": {"x": 0, "y": 0, "z": turn, "w": 1}},
        },
        "layers": ["elevation", "variance"],
        "data": [{"layout": {"dim": dims}, "data": layer.T.ravel().tolist()}] * 2,
    }


def test_grid_map_message():
    grid = landmark()
    back = ground.from_grid_map_message(message(grid))
    assert np.allclose(back.heights, grid.heights) and back.frame == "odom"
    assert back.origin == pytest.approx(grid.origin)
    with pytest.raises(InvalidInput, match="orientation"):
        ground.from_grid_map_message(message(grid, turn=0.3))
    with pytest.raises(InvalidInput, match="elevation, variance"):
        ground.from_grid_map_message(message(grid), layer="height")


def test_height_field_of_mujoco_is_where_the_map_says():
    grid = landmark()
    spec = mujoco.MjSpec()
    h = grid.heights
    half = [(grid.shape[1] - 1) * grid.cell / 2, (grid.shape[0] - 1) * grid.cell / 2, float(np.ptp(h)), 0.1]
    share = (h - h.min()) / np.ptp(h)
    spec.add_hfield(name="g", nrow=h.shape[0], ncol=h.shape[1], size=half, userdata=share.ravel())
    spec.worldbody.add_geom(
        name="g", type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="g", pos=[*grid.centre, float(h.min())]
    )
    model = spec.compile()
    back = ground.from_hfield(model, "g")
    assert np.allclose(back.heights, h, atol=1e-7)
    assert back.origin == pytest.approx(grid.origin)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for j, i in ((4, 9), (20, 41), (7, 40)):
        x, y = grid.position(j, i)
        gone = np.zeros(1, np.int32)
        # A hair beside the cell's middle: a ray through a corner of four triangles may slip through.
        depth = mujoco.mj_ray(
            model, data, np.array([x + 1e-5, y + 2e-5, 2.0]), np.array([0, 0, -1.0]), None, 1, -1, gone
        )
        assert 2.0 - depth == pytest.approx(h[j, i], abs=1e-4)
    with pytest.raises(InvalidInput, match="height field"):
        ground.from_hfield(model, "floor")


def test_terrains_of_plantar():
    stairs = Stairs()
    grid = stairs.elevation_map()
    assert grid.at(0.65, 0.0) == pytest.approx(stairs.rise)
    stones = SteppingStones().elevation_map()
    assert np.isfinite(stones.heights).any()
    assert np.allclose(HeightField(grid=grid).elevation(*np.meshgrid(grid.x, grid.y)), grid.heights)
    holed = ElevationMap(heights=[[0, np.nan], [0, 0]], cell=0.1)
    with pytest.raises(InvalidInput, match="filled"):
        HeightField(grid=holed)


@settings(max_examples=25, deadline=None)
@given(dx=st.floats(-1, 1), dy=st.floats(-1, 1), dz=st.floats(-1, 1), yaw=st.floats(-3, 3))
def test_moved_mirrored_and_turned_maps_keep_the_landmark(dx, dy, dz, yaw):
    grid = landmark()
    x, y = top(grid)
    moved = grid.shifted(dx, dy, dz)
    assert top(moved) == pytest.approx((x + dx, y + dy))
    assert moved.heights.max() == pytest.approx(grid.heights.max() + dz)
    assert top(grid.mirrored()) == pytest.approx((x, -y))
    assert np.array_equal(grid.mirrored().mirrored().heights, grid.heights)
    fine = np.arange(-60, 61) * 0.01
    turned = grid.resampled(fine, fine, yaw=yaw)
    c, s = np.cos(yaw), np.sin(yaw)
    u, v = c * x + s * y, c * y - s * x
    if max(abs(u), abs(v)) < 0.55:
        assert np.hypot(*(np.array(top(turned)) - (u, v))) < 0.025  # little more than a cell


def test_crop_keeps_places_and_marks_what_is_beyond():
    grid = landmark()
    part = grid.crop((0.4, 0.2), (20, 20))
    inside = ~np.isnan(part.heights)
    assert 0 < inside.sum() < 400
    for j, i in np.argwhere(inside)[::37]:
        assert part.heights[j, i] == grid.at(*part.position(j, i)) or np.isclose(
            part.heights[j, i], grid.at(*part.position(j, i))
        )
    with pytest.raises(InvalidInput, match="centre"):
        grid.crop((30.0, 0.0))


def test_gaps_are_filled_only_as_asked():
    step = np.zeros((8, 8))
    step[:, 4:] = 0.5
    step[3, 3:6] = np.nan
    grid = ElevationMap(heights=step, cell=0.1)
    assert grid.unknown == pytest.approx(3 / 64)
    assert grid.filled("lowest").heights[3, 3:6].tolist() == [0, 0, 0]
    assert grid.filled("nearest").heights[3, 5] == 0.5
    ramp = ElevationMap.from_function(lambda x, y: 0.3 * x - 0.1 * y, x=(0, 1), y=(0, 1), cell=0.1)
    holed = ramp.heights.copy()
    holed[2:5, 2:5] = np.nan
    assert np.allclose(ElevationMap(heights=holed, cell=0.1).filled("plane").heights, ramp.heights)
    with pytest.raises(InvalidInput, match="method"):
        grid.filled("guess")


@pytest.mark.parametrize(
    ("heights", "cell", "word"),
    [
        (np.full((4, 4), np.nan), 0.02, "NaN"),
        ([[1.0]], 0.02, "2 x 2"),
        ([[0, np.inf], [0, 0]], 0.02, "finite"),
        (np.zeros(5), 0.02, "2 x 2"),
        ([["a", "b"], ["c", "d"]], 0.02, "numbers"),
        (np.zeros((3, 3)), 0.0, "cell"),
        (np.zeros((3, 3)), -1.0, "cell"),
        (np.zeros((3, 3)), 20.0, "cell"),
        (np.zeros((3, 3)), np.nan, "cell"),
    ],
)
def test_a_bad_map_is_refused_in_one_line(heights, cell, word):
    with pytest.raises(InvalidInput, match=word) as error:
        ElevationMap(heights=heights, cell=cell)
    assert "\n" not in str(error.value)


def test_a_map_larger_than_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_memory, "free_memory", lambda: 1e5)
    with pytest.raises(InvalidInput, match="GB"):
        ElevationMap.from_function(lambda x, y: x, x=(0, 100), y=(0, 100), cell=0.1)
    # A file whose header promises 100 TB and that holds nothing.
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3700000, 3700000), }"
    header += b" " * (117 - len(header)) + b"\n"
    with zipfile.ZipFile(tmp_path / "huge.npz", "w") as archive:
        archive.writestr("heights.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    monkeypatch.undo()
    with pytest.raises(InvalidInput, match="GB"):
        ElevationMap.load(tmp_path / "huge.npz")


def test_files_that_are_no_maps(tmp_path):
    (tmp_path / "junk.npz").write_bytes(b"PK\x03\x04 not really")
    (tmp_path / "junk.png").write_bytes(b"\x89PNG but no more")
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    np.savez(tmp_path / "falling.npz", heights=np.zeros((3, 3)), cell=0.1, x=np.array([0.2, 0.1, 0.0]))
    np.save(tmp_path / "bare.npy", np.zeros((3, 3)))
    cases = {
        "junk.npz": "cannot be read",
        "junk.png": "cannot be read",
        "other.npz": "no heights",
        "gone.npz": "does not exist",
    }
    cases |= {"falling.npz": "evenly increasing", "bare.npy": "cell size", "map.txt": "ends in"}
    for name, words in cases.items():
        with pytest.raises(InvalidInput, match=words) as error:
            ElevationMap.load(tmp_path / name)
        assert "\n" not in str(error.value)
    assert ElevationMap.load(tmp_path / "bare.npy", cell=0.1).shape == (3, 3)
